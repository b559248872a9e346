# SPDX-License-Identifier: GPL-3.0-or-later
"""Transposed convolution, GELU, then group normalisation."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_channels = 32
out_channels = 64
height = 32
width = 32
kernel_size = 4
stride = 2
groups = 8
num_groups = 8


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, groups, num_groups):
        super().__init__()
        # The convolution is not grouped: groups is accepted and not used.
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = F.gelu(self.conv_transpose(x))
        return self.group_norm(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, groups, num_groups]
