# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimum over one dimension, which is dropped."""
import torch
import torch.nn as nn

batch_size = 16
rows = 256
columns = 256
reduced_dim = 1


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.min(x, dim=self.dim).values


def get_inputs():
    return [torch.randn(batch_size, rows, columns)]


def get_init_inputs():
    return [reduced_dim]
