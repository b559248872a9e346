# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolution, minus a constant, tanh, minus another constant, then average pooling."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
subtract1_value = 0.5
subtract2_value = 0.2
kernel_size_pool = 2


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, subtract1_value, subtract2_value, kernel_size_pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.subtract1_value = subtract1_value
        self.subtract2_value = subtract2_value
        self.avgpool = nn.AvgPool2d(kernel_size_pool)

    def forward(self, x):
        x = torch.tanh(self.conv(x) - self.subtract1_value)
        return self.avgpool(x - self.subtract2_value)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, subtract1_value, subtract2_value, kernel_size_pool]
