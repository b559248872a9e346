# SPDX-License-Identifier: GPL-3.0-or-later
"""Logarithm of the softmax over each row of a matrix."""
import torch
import torch.nn as nn

batch_size = 16
features = 16384


class Model(nn.Module):
    def __init__(self, dim=1):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.log_softmax(x, dim=self.dim)


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return []
