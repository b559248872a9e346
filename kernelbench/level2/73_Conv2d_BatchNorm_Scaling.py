# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-dimensional convolution, batch normalisation, times a constant."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
scaling_factor = 2.0


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scaling_factor):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bn = nn.BatchNorm2d(out_channels)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.bn(self.conv(x))
        return x * self.scaling_factor


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, scaling_factor]
