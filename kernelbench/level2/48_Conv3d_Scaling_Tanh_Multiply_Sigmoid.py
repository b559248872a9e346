# SPDX-License-Identifier: GPL-3.0-or-later
"""Three-dimensional convolution, times a learnt factor for each channel, tanh, times another such factor, sigmoid."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
depth = 16
height = 32
width = 32
kernel_size = 3
scaling_factor = 2
bias_shape = (out_channels, 1, 1, 1)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scaling_factor, bias_shape):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        # The factors are drawn at random: the scaling_factor that is passed is not used.
        self.scaling_factor = nn.Parameter(torch.randn(bias_shape))
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        x = torch.tanh(self.conv(x) * self.scaling_factor)
        return torch.sigmoid(x * self.bias)


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, scaling_factor, bias_shape]
