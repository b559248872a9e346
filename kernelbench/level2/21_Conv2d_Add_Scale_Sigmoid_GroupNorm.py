# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolution, a learnt bias and a learnt scale for each channel, sigmoid, then group normalisation."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
num_groups = 8
bias_shape = (out_channels, 1, 1)
scale_shape = (out_channels, 1, 1)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, num_groups, bias_shape, scale_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = (self.conv(x) + self.bias) * self.scale
        return self.group_norm(torch.sigmoid(x))


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, num_groups, bias_shape, scale_shape]
