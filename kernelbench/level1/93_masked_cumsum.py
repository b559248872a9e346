# SPDX-License-Identifier: GPL-3.0-or-later
"""Running sum along one dimension of those elements alone that a mask selects."""
import torch
import torch.nn as nn

batch_size = 128
length = 4000
scanned_dim = 1


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        return torch.cumsum(x * mask, dim=self.dim)


def get_inputs():
    x = torch.randn(batch_size, length)
    mask = torch.randint(0, 2, (batch_size, length)).bool()
    return [x, mask]


def get_init_inputs():
    return [scanned_dim]
