# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaky rectified linear unit of every element: x where positive, a small multiple of x elsewhere."""
import torch
import torch.nn as nn

batch_size = 16
features = 16384


class Model(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return torch.nn.functional.leaky_relu(x, negative_slope=self.negative_slope)


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return []
