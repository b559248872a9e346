# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of two matrices whose sizes are no multiples of a usual tile: C = A B."""
import torch
import torch.nn as nn

M = 8205
K = 2949
N = 5921


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.matmul(A, B)


def get_inputs():
    A = torch.randn(M, K)
    B = torch.randn(K, N)
    return [A, B]


def get_init_inputs():
    return []
