# SPDX-License-Identifier: GPL-3.0-or-later
"""Running product along one dimension."""
import torch
import torch.nn as nn

batch_size = 128
length = 4000
scanned_dim = 1


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.cumprod(x, dim=self.dim)


def get_inputs():
    return [torch.randn(batch_size, length)]


def get_init_inputs():
    return [scanned_dim]
