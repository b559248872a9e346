# SPDX-License-Identifier: GPL-3.0-or-later
"""One-dimensional convolution with a stride and dilation."""
import torch
import torch.nn as nn

batch_size = 16
in_channels = 3
out_channels = 64
length = 256
kernel_size = 3
stride = 3
dilation = 4


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, dilation=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, dilation=dilation, bias=bias)

    def forward(self, x):
        return self.conv1d(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, length)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, dilation]
