# SPDX-License-Identifier: GPL-3.0-or-later
"""Depthwise separable two-dimensional convolution: a kernel for each channel, then a 1 x 1 convolution that mixes the
channels."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
out_channels = 64
height = 256
width = 256
kernel_size = 3
stride = 1
padding = 0
dilation = 1


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.depthwise = nn.Conv2d(in_channels, in_channels, kernel_size, stride=stride, padding=padding,
                                   dilation=dilation, groups=in_channels, bias=bias)
        self.pointwise = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding, dilation]
