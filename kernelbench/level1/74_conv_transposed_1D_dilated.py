# SPDX-License-Identifier: GPL-3.0-or-later
"""One-dimensional dilated transposed convolution."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
out_channels = 64
length = 256
kernel_size = 5
stride = 1
padding = 0
dilation = 3


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.conv1d_transpose = nn.ConvTranspose1d(in_channels, out_channels, kernel_size, stride=stride,
                                                   padding=padding, dilation=dilation, bias=bias)

    def forward(self, x):
        return self.conv1d_transpose(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, length)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding, dilation]
