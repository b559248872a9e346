# SPDX-License-Identifier: GPL-3.0-or-later
"""Lower triangle of the product of two lower triangular matrices: C = tril(A B)."""
import torch
import torch.nn as nn

N = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.tril(torch.matmul(A, B))


def get_inputs():
    A = torch.randn(N, N)
    B = torch.randn(N, N)
    return [torch.tril(A), torch.tril(B)]


def get_init_inputs():
    return []
