# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of a tall matrix and a wide one with a short inner dimension: C = A B."""
import torch
import torch.nn as nn

outer = 16384
inner = 16


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.matmul(A, B)


def get_inputs():
    A = torch.randn(outer, inner)
    B = torch.randn(inner, outer)
    return [A, B]


def get_init_inputs():
    return []
