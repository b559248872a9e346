# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG-19: sixteen 3x3 convolutions with ReLU in five stages that end in max pooling, then three linear layers."""
import torch
import torch.nn as nn

batch_size = 10
num_classes = 1000
height = 224
width = 224

# Channels of the stages, and how many convolutions each has.
stages = [(64, 2), (128, 2), (256, 4), (512, 4), (512, 4)]


class Model(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        features = []
        in_channels = 3
        for channels, convolutions in stages:
            for _ in range(convolutions):
                features += [nn.Conv2d(in_channels, channels, kernel_size=3, padding=1), nn.ReLU(inplace=True)]
                in_channels = channels
            features.append(nn.MaxPool2d(kernel_size=2, stride=2))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(p=0.0),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(p=0.0),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x):
        x = torch.flatten(self.features(x), 1)
        return self.classifier(x)


def get_inputs():
    return [torch.randn(batch_size, 3, height, width)]


def get_init_inputs():
    return [num_classes]
