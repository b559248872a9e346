# SPDX-License-Identifier: GPL-3.0-or-later
"""Transposed three-dimensional convolution, ReLU, then group normalisation."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 64
out_channels = 128
depth = 8
height = 16
width = 16
kernel_size = 3
groups = 8
bias = False


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, bias=False):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, bias=bias)
        self.relu = nn.ReLU()
        self.group_norm = nn.GroupNorm(groups, out_channels)

    def forward(self, x):
        x = self.relu(self.conv_transpose(x))
        return self.group_norm(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, groups, bias]
