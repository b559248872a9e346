# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain RegNet: stages of two 3x3 convolutions with batch normalisation, ReLU and pooling, then a linear layer."""
import torch
import torch.nn as nn

batch_size = 8
input_channels = 3
stages = 3
block_widths = [64, 128, 256]
output_classes = 10
height = 224
width = 224


class Model(nn.Module):
    def __init__(self, input_channels, stages, block_widths, output_classes):
        super().__init__()
        channels = [input_channels, *block_widths]
        self.feature_extractor = nn.Sequential(*[self._stage(channels[i], channels[i + 1]) for i in range(stages)])
        self.fc = nn.Linear(block_widths[-1], output_classes)

    @staticmethod
    def _stage(in_channels, out_channels):
        return nn.Sequential(
            nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
            nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        )

    def forward(self, x):
        x = self.feature_extractor(x)
        return self.fc(torch.mean(x, dim=[2, 3]))


def get_inputs():
    return [torch.randn(batch_size, input_channels, height, width)]


def get_init_inputs():
    return [input_channels, stages, block_widths, output_classes]
