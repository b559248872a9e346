# SPDX-License-Identifier: GPL-3.0-or-later
"""Contraction of the last dimension of a 4-D tensor with the rows of a matrix: C[b, i, j] = A[b, i, j] B."""
import torch
import torch.nn as nn

batch_size = 16
rows = 256
columns = 512
inner = 256
outer = 768


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.einsum("bijk,kn->bijn", A, B)


def get_inputs():
    A = torch.randn(batch_size, rows, columns, inner)
    B = torch.randn(inner, outer)
    return [A, B]


def get_init_inputs():
    return []
