# SPDX-License-Identifier: GPL-3.0-or-later
"""Three-dimensional convolution, hard swish, ReLU, softmax over the channels, then the mean of each channel."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_channels = 3
out_channels = 16
depth = 16
height = 32
width = 32
kernel_size = 3


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias=True):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, bias=bias)

    def forward(self, x):
        x = torch.relu(F.hardswish(self.conv(x)))
        x = torch.softmax(x, dim=1)
        return torch.mean(x, dim=(2, 3, 4))


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
