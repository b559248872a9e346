# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean over windows of a sequence batch; the zeros of the padding count."""
import torch
import torch.nn as nn

batch_size = 16
channels = 32
length = 128
kernel_size = 4
stride = 2
padding = 1


class Model(nn.Module):
    def __init__(self, kernel_size, stride=1, padding=0):
        super().__init__()
        self.avg_pool = nn.AvgPool1d(kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        return self.avg_pool(x)


def get_inputs():
    return [torch.randn(batch_size, channels, length)]


def get_init_inputs():
    return [kernel_size, stride, padding]
