# SPDX-License-Identifier: GPL-3.0-or-later
"""Fire module of SqueezeNet: a 1x1 convolution to few channels, then 1x1 and 3x3 convolutions joined by channel."""
import torch
import torch.nn as nn

batch_size = 10
in_channels = 3
squeeze_channels = 6
expand1x1_channels = 64
expand3x3_channels = 64
height = 224
width = 224


class Model(nn.Module):
    def __init__(self, in_channels, squeeze_channels, expand1x1_channels, expand3x3_channels):
        super().__init__()
        self.squeeze = nn.Conv2d(in_channels, squeeze_channels, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_channels, expand1x1_channels, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_channels, expand3x3_channels, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        expanded = [self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))]
        return torch.cat(expanded, dim=1)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, squeeze_channels, expand1x1_channels, expand3x3_channels]
