# SPDX-License-Identifier: GPL-3.0-or-later
"""MobileNet v1: a convolution, thirteen depthwise separable convolutions, average pooling and a linear layer."""
import torch
import torch.nn as nn

batch_size = 10
num_classes = 1000
input_channels = 3
alpha = 1.0
height = 224
width = 224

# Output channels, before the width multiplier, and stride of each depthwise separable convolution.
separable_convolutions = [
    (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
    *[(512, 1)] * 5,
    (1024, 2), (1024, 1),
]


def convolution(in_channels, out_channels, stride):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )


def separable_convolution(in_channels, out_channels, stride):
    return nn.Sequential(
        nn.Conv2d(in_channels, in_channels, kernel_size=3, stride=stride, padding=1, groups=in_channels, bias=False),
        nn.BatchNorm2d(in_channels),
        nn.ReLU(inplace=True),
        nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )


class Model(nn.Module):
    def __init__(self, num_classes=1000, input_channels=3, alpha=1.0):
        super().__init__()
        channels = int(32 * alpha)
        layers = [convolution(input_channels, channels, stride=2)]
        for base_channels, stride in separable_convolutions:
            out_channels = int(base_channels * alpha)
            layers.append(separable_convolution(channels, out_channels, stride))
            channels = out_channels
        layers.append(nn.AvgPool2d(kernel_size=7))
        self.model = nn.Sequential(*layers)
        self.fc = nn.Linear(channels, num_classes)

    def forward(self, x):
        x = self.model(x)
        return self.fc(x.view(x.size(0), -1))


def get_inputs():
    return [torch.randn(batch_size, input_channels, height, width)]


def get_init_inputs():
    return [num_classes, input_channels, alpha]
