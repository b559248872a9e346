# SPDX-License-Identifier: GPL-3.0-or-later
"""Running sum that starts at zero, along one dimension. What is dropped is the last entry of the first dimension, not
of the summed one, so the result has one row less and one column more than the input."""
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
        zeros = torch.zeros_like(x.select(self.dim, 0).unsqueeze(self.dim))
        return torch.cumsum(torch.cat((zeros, x), dim=self.dim)[:-1], dim=self.dim)


def get_inputs():
    return [torch.randn(batch_size, length)]


def get_init_inputs():
    return [scanned_dim]
