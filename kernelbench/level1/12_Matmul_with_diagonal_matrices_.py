# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of a diagonal matrix, given by its diagonal, and a dense one: C = diag(A) B."""
import torch
import torch.nn as nn

N = 4096
M = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.diag(A) @ B


def get_inputs():
    A = torch.randn(N)
    B = torch.randn(N, M)
    return [A, B]


def get_init_inputs():
    return []
