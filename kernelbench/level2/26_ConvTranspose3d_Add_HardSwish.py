# SPDX-License-Identifier: GPL-3.0-or-later
"""Three-dimensional transposed convolution, plus a second input, then multiplied by its own hard swish."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_channels = 32
out_channels = 64
depth = 16
height = 16
width = 16
kernel_size = 3
stride = 2
padding = 1
output_padding = 1
bias_shape = (out_channels, 1, 1, 1, 1)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, bias_shape):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, stride=stride,
                                                 padding=padding, output_padding=output_padding)
        self.bias = nn.Parameter(torch.randn(bias_shape))  # a parameter that forward does not use

    def forward(self, x, add_input):
        x = self.conv_transpose(x) + add_input
        return x * F.hardswish(x)


def get_inputs():
    x = torch.randn(batch_size, in_channels, depth, height, width)
    add_input = torch.randn(batch_size, out_channels, depth * stride, height * stride, width * stride)
    return [x, add_input]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding, output_padding, bias_shape]
