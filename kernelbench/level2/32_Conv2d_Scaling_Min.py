# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolution, scaled, then the minimum over the channels."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
scale_factor = 2.0


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scale_factor):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.scale_factor = scale_factor

    def forward(self, x):
        x = self.conv(x) * self.scale_factor
        return torch.min(x, dim=1, keepdim=True)[0]


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, scale_factor]
