# SPDX-License-Identifier: GPL-3.0-or-later
"""A short EfficientNet-B2 whose blocks go on with the squeezed 1x1 image itself instead of weighting channels."""
import torch
import torch.nn as nn

batch_size = 2
num_classes = 1000
height = 224
width = 224


def mbconv(in_channels, out_channels, stride, expand_ratio):
    hidden_channels = in_channels * expand_ratio
    squeezed_channels = hidden_channels // 4
    return nn.Sequential(
        nn.Conv2d(in_channels, hidden_channels, kernel_size=1, bias=False),
        nn.BatchNorm2d(hidden_channels),
        nn.ReLU(inplace=True),
        nn.Conv2d(hidden_channels, hidden_channels, kernel_size=3, stride=stride, padding=1, groups=hidden_channels,
                  bias=False),
        nn.BatchNorm2d(hidden_channels),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Conv2d(hidden_channels, squeezed_channels, kernel_size=1, bias=False),
        nn.ReLU(inplace=True),
        nn.Conv2d(squeezed_channels, hidden_channels, kernel_size=1, bias=False),
        nn.Sigmoid(),
        nn.Conv2d(hidden_channels, out_channels, kernel_size=1, bias=False),
        nn.BatchNorm2d(out_channels),
    )


class Model(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        self.relu = nn.ReLU(inplace=True)
        self.mbconv1 = mbconv(32, 96, stride=1, expand_ratio=3)
        self.mbconv2 = mbconv(96, 144, stride=2, expand_ratio=6)
        self.mbconv3 = mbconv(144, 192, stride=2, expand_ratio=6)
        self.mbconv4 = mbconv(192, 288, stride=2, expand_ratio=6)
        self.mbconv5 = mbconv(288, 384, stride=1, expand_ratio=6)
        self.conv_final = nn.Conv2d(384, 1408, kernel_size=1, bias=False)
        self.bn_final = nn.BatchNorm2d(1408)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(1408, num_classes)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.mbconv1(x)
        x = self.mbconv2(x)
        x = self.mbconv3(x)
        x = self.mbconv4(x)
        x = self.mbconv5(x)
        x = self.relu(self.bn_final(self.conv_final(x)))
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)


def get_inputs():
    return [torch.randn(batch_size, 3, height, width)]


def get_init_inputs():
    return [num_classes]
