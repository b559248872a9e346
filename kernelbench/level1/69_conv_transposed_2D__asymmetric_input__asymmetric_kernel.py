# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-dimensional transposed convolution whose input and kernel are both wider than high."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 32
out_channels = 64
height = 16
width = 32
kernel_size = (3, 5)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=(1, 1), padding=(0, 0), output_padding=(0, 0),
                 dilation=(1, 1), groups=1, bias=False):
        super().__init__()
        self.conv_transpose2d = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride,
                                                   padding=padding, output_padding=output_padding, dilation=dilation,
                                                   groups=groups, bias=bias)

    def forward(self, x):
        return self.conv_transpose2d(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
