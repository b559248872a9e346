# SPDX-License-Identifier: GPL-3.0-or-later
"""EfficientNet-B0 without squeeze-and-excitation: a convolution, thirteen inverted bottlenecks, linear layer."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 10
num_classes = 1000
height = 224
width = 224

# Output channels, kernel size, stride and expansion ratio of each block.
block_settings = [
    (16, 3, 1, 1),
    (24, 3, 2, 6), (24, 3, 1, 6),
    (40, 5, 2, 6), (40, 5, 1, 6),
    (80, 3, 2, 6), (80, 3, 1, 6),
    (112, 5, 1, 6), (112, 5, 1, 6),
    (192, 5, 2, 6), (192, 5, 1, 6), (192, 5, 1, 6),
    (320, 3, 1, 6),
]


class MBConv(nn.Module):
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


class Model(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        channels = 32
        last_channels = 1280
        self.conv1 = nn.Conv2d(3, channels, kernel_size=3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)

        blocks = []
        for out_channels, kernel_size, stride, expand_ratio in block_settings:
            blocks.append(MBConv(channels, out_channels, kernel_size, stride, expand_ratio))
            channels = out_channels
        self.blocks = nn.Sequential(*blocks)

        self.conv2 = nn.Conv2d(channels, last_channels, kernel_size=1, bias=False)
        self.bn2 = nn.BatchNorm2d(last_channels)
        self.fc = nn.Linear(last_channels, num_classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.blocks(x)
        x = F.relu(self.bn2(self.conv2(x)))
        x = F.adaptive_avg_pool2d(x, (1, 1))
        return self.fc(x.view(x.size(0), -1))


def get_inputs():
    return [torch.randn(batch_size, 3, height, width)]


def get_init_inputs():
    return [num_classes]
