# SPDX-License-Identifier: GPL-3.0-or-later
"""Transposed three-dimensional convolution, times a constant, batch normalisation, then the average of each channel."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 64
out_channels = 32
depth = 16
height = 32
width = 32
kernel_size = 3
scale_factor = 2.0


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scale_factor, eps=1e-5, momentum=0.1):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(in_channels, out_channels, kernel_size)
        self.scale_factor = scale_factor
        self.batch_norm = nn.BatchNorm3d(out_channels, eps=eps, momentum=momentum)
        self.global_avg_pool = nn.AdaptiveAvgPool3d((1, 1, 1))

    def forward(self, x):
        x = self.conv_transpose(x) * self.scale_factor
        x = self.batch_norm(x)
        return self.global_avg_pool(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, scale_factor]
