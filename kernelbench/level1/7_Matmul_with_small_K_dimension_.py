# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of a tall matrix and a wide one whose inner dimension is only 32: C = A B."""
import torch
import torch.nn as nn

M = 16384
K = 32
N = 16384


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
