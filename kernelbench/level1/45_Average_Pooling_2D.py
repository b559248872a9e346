# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean over square windows of an image batch that do not overlap."""
import torch
import torch.nn as nn

batch_size = 16
channels = 64
height = 256
width = 256
kernel_size = 3


class Model(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.avg_pool = nn.AvgPool2d(kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        return self.avg_pool(x)


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [kernel_size]
