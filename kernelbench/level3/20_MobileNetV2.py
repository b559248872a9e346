# SPDX-License-Identifier: GPL-3.0-or-later
"""MobileNet v2: a convolution, seventeen inverted bottlenecks (without shortcuts), pooling and a linear layer."""
import torch
import torch.nn as nn

batch_size = 10
num_classes = 1000
height = 224
width = 224

# Expansion ratio, output channels, repeats, and stride of the first of them.
bottlenecks = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def inverted_bottleneck(in_channels, out_channels, stride, expand_ratio):
    hidden_channels = in_channels * expand_ratio
    layers = []
    if expand_ratio != 1:
        layers += [
            nn.Conv2d(in_channels, hidden_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(hidden_channels),
            nn.ReLU6(inplace=True),
        ]
    layers += [
        nn.Conv2d(hidden_channels, hidden_channels, kernel_size=3, stride=stride, padding=1, groups=hidden_channels,
                  bias=False),
        nn.BatchNorm2d(hidden_channels),
        nn.ReLU6(inplace=True),
        nn.Conv2d(hidden_channels, out_channels, kernel_size=1, bias=False),
        nn.BatchNorm2d(out_channels),
    ]
    return nn.Sequential(*layers)


class Model(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        channels = 32
        last_channels = 1280
        features = [
            nn.Conv2d(3, channels, kernel_size=3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU6(inplace=True),
        ]
        for expand_ratio, out_channels, repeats, first_stride in bottlenecks:
            for i in range(repeats):
                stride = first_stride if i == 0 else 1
                features.append(inverted_bottleneck(channels, out_channels, stride, expand_ratio))
                channels = out_channels
        features += [
            nn.Conv2d(channels, last_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(last_channels),
            nn.ReLU6(inplace=True),
            nn.AdaptiveAvgPool2d((1, 1)),
        ]
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(0.0), nn.Linear(last_channels, num_classes))

        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.ones_(module.weight)
                nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.01)
                nn.init.zeros_(module.bias)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.view(x.size(0), -1))


def get_inputs():
    return [torch.randn(batch_size, 3, height, width)]


def get_init_inputs():
    return [num_classes]
