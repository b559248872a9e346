# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-dimensional convolution of images higher than wide with a kernel wider than high."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
out_channels = 64
height = 256
width = 128
kernel_size = (3, 5)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1,
                 bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding,
                                dilation=dilation, groups=groups, bias=bias)

    def forward(self, x):
        return self.conv2d(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
