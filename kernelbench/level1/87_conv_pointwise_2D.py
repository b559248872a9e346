# SPDX-License-Identifier: GPL-3.0-or-later
"""Pointwise two-dimensional convolution: every pixel's channels times one matrix."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
out_channels = 64
height = 256
width = 256


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, bias=False):
        super().__init__()
        # The name is the dataset's; the convolution is two-dimensional.
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        return self.conv1d(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels]
