# SPDX-License-Identifier: GPL-3.0-or-later
"""Transposed convolution, minus a learnt bias for each channel, then tanh."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 32
out_channels = 16
height = 16
width = 16
kernel_size = 4
bias_shape = (out_channels, 1, 1)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape, stride=2, padding=1, output_padding=1):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride,
                                                 padding=padding, output_padding=output_padding)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return torch.tanh(self.conv_transpose(x) - self.bias)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, bias_shape]
