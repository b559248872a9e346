# SPDX-License-Identifier: GPL-3.0-or-later
"""Multi-layer perceptron: linear layers with ReLU between them."""
import torch
import torch.nn as nn

batch_size = 1
input_size = 1000
layer_sizes = [400, 800]
output_size = 500


class Model(nn.Module):
    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        layers = []
        size = input_size
        for layer_size in layer_sizes:
            layers += [nn.Linear(size, layer_size), nn.ReLU()]
            size = layer_size
        layers.append(nn.Linear(size, output_size))
        self.network = nn.Sequential(*layers)

    def forward(self, x):
        return self.network(x)


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, layer_sizes, output_size]
