# SPDX-License-Identifier: GPL-3.0-or-later
"""Maximum over dilated windows of a sequence batch."""
import torch
import torch.nn as nn

batch_size = 16
channels = 64
length = 128
kernel_size = 4
stride = 2
padding = 2
dilation = 3
return_indices = False


class Model(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False):
        super().__init__()
        self.maxpool = nn.MaxPool1d(kernel_size, stride=stride, padding=padding, dilation=dilation,
                                    return_indices=return_indices)

    def forward(self, x):
        return self.maxpool(x)


def get_inputs():
    return [torch.randn(batch_size, channels, length)]


def get_init_inputs():
    return [kernel_size, stride, padding, dilation, return_indices]
