# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of a very wide matrix and a very tall one, so that the inner dimension is by far the largest: C = A B."""
import torch
import torch.nn as nn

M = 256
K = 131072
N = 256


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
