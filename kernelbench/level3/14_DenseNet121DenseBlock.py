# SPDX-License-Identifier: GPL-3.0-or-later
"""Dense block of DenseNet-121: every layer sees the input and all earlier results, joined by channel."""
import torch
import torch.nn as nn

batch_size = 10
num_layers = 6
num_input_features = 32
growth_rate = 32
height = 224
width = 224


class Model(nn.Module):
    def __init__(self, num_layers, num_input_features, growth_rate):
        super().__init__()
        self.layers = nn.ModuleList(
            self._layer(num_input_features + i * growth_rate, growth_rate) for i in range(num_layers)
        )

    @staticmethod
    def _layer(in_features, growth_rate):
        return nn.Sequential(
            nn.BatchNorm2d(in_features),
            nn.ReLU(inplace=True),
            nn.Conv2d(in_features, growth_rate, kernel_size=3, padding=1, bias=False),
            nn.Dropout(0.0),
        )

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(layer(x))
            x = torch.cat(features, dim=1)
        return x


def get_inputs():
    return [torch.randn(batch_size, num_input_features, height, width)]


def get_init_inputs():
    return [num_layers, num_input_features, growth_rate]
