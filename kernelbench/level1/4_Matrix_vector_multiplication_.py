# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of a wide matrix and a column vector: C = A B."""
import torch
import torch.nn as nn

rows = 256
columns = 131072


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.matmul(A, B)


def get_inputs():
    A = torch.randn(rows, columns)
    B = torch.randn(columns, 1)
    return [A, B]


def get_init_inputs():
    return []
