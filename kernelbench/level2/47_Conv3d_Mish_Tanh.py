# SPDX-License-Identifier: GPL-3.0-or-later
"""Three-dimensional convolution, Mish, then tanh."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
in_channels = 3
out_channels = 16
depth = 16
height = 32
width = 32
kernel_size = 3


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        return torch.tanh(F.mish(self.conv(x)))


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
