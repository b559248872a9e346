# SPDX-License-Identifier: GPL-3.0-or-later
"""Depthwise two-dimensional convolution of square images: for each channel a kernel one column wide."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
height = 256
width = 256
kernel_size = 3
stride = 1
padding = 0
dilation = 1


class Model(nn.Module):
    def __init__(self, in_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, in_channels, (kernel_size, 1), stride=stride, padding=padding,
                                dilation=dilation, groups=in_channels, bias=bias)

    def forward(self, x):
        return self.conv2d(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, kernel_size, stride, padding, dilation]
