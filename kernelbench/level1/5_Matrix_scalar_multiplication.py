# SPDX-License-Identifier: GPL-3.0-or-later
"""Every element of a matrix times one number: C = s A."""
import torch
import torch.nn as nn

rows = 16384
columns = 4096
scalar = 3.14


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, s):
        return A * s


def get_inputs():
    A = torch.randn(rows, columns)
    return [A, scalar]


def get_init_inputs():
    return []
