# SPDX-License-Identifier: GPL-3.0-or-later
"""Transposed convolution, batch normalisation, tanh, max pooling, then group normalisation."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 32
out_channels = 64
height = 32
width = 32
kernel_size = 4
stride = 2
padding = 1
groups = 8
num_groups = 4


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        # The convolution is not grouped: groups is accepted and not used.
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.tanh = nn.Tanh()
        self.max_pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = self.batch_norm(self.conv_transpose(x))
        x = self.max_pool(self.tanh(x))
        return self.group_norm(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding, groups, num_groups]
