# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-dimensional convolution, average pooling, sigmoid, then the sum of each sample."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
pool_kernel_size = 2


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, pool_kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.avg_pool = nn.AvgPool2d(pool_kernel_size)

    def forward(self, x):
        x = self.avg_pool(self.conv(x))
        x = torch.sigmoid(x)
        return torch.sum(x, dim=[1, 2, 3])


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, pool_kernel_size]
