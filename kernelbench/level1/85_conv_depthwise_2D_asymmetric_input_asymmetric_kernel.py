# SPDX-License-Identifier: GPL-3.0-or-later
"""Depthwise two-dimensional convolution of images wider than high: for each channel a kernel wider than high."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
out_channels = 3
height = 128
width = 256
kernel_size_h = 3
kernel_size_w = 5
stride_h = 1
stride_w = 1
padding_h = 0
padding_w = 0
dilation_h = 1
dilation_w = 1
groups = in_channels


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size_h, kernel_size_w, stride_h=1, stride_w=1, padding_h=0,
                 padding_w=0, dilation_h=1, dilation_w=1, groups=1, bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, (kernel_size_h, kernel_size_w), stride=(stride_h, stride_w),
                                padding=(padding_h, padding_w), dilation=(dilation_h, dilation_w), groups=groups,
                                bias=bias)

    def forward(self, x):
        return self.conv2d(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size_h, kernel_size_w, stride_h, stride_w, padding_h, padding_w,
            dilation_h, dilation_w, groups]
