# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverted bottleneck of EfficientNet: 1x1 expansion, depthwise convolution, 1x1 projection, shortcut if shapes fit."""
import torch
import torch.nn as nn

batch_size = 10
in_channels = 112
out_channels = 192
kernel_size = 5
stride = 2
expand_ratio = 6
height = 224
width = 224


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, expand_ratio):
        super().__init__()
        self.use_residual = stride == 1 and in_channels == out_channels
        hidden_channels = in_channels * expand_ratio
        if expand_ratio != 1:
            self.expand_conv = nn.Sequential(
                nn.Conv2d(in_channels, hidden_channels, kernel_size=1, bias=False),
                nn.BatchNorm2d(hidden_channels),
                nn.ReLU6(inplace=True),
            )
        else:
            self.expand_conv = None
        self.depthwise_conv = nn.Sequential(
            nn.Conv2d(hidden_channels, hidden_channels, kernel_size, stride=stride, padding=kernel_size // 2,
                      groups=hidden_channels, bias=False),
            nn.BatchNorm2d(hidden_channels),
            nn.ReLU6(inplace=True),
        )
        self.project_conv = nn.Sequential(
            nn.Conv2d(hidden_channels, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels),
        )

    def forward(self, x):
        out = x if self.expand_conv is None else self.expand_conv(x)
        out = self.project_conv(self.depthwise_conv(out))
        if self.use_residual:
            out += x
        return out


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, expand_ratio]
