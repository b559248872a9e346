# SPDX-License-Identifier: GPL-3.0-or-later
"""Multi-layer perceptron with few but wide hidden layers, each followed by ReLU."""
import torch
import torch.nn as nn

batch_size = 1
input_size = 1000
hidden_layer_sizes = [2000, 2000]
output_size = 10


class Model(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        layers = []
        size = input_size
        for hidden_size in hidden_layer_sizes:
            layers += [nn.Linear(size, hidden_size), nn.ReLU()]
            size = hidden_size
        layers.append(nn.Linear(size, output_size))
        self.network = nn.Sequential(*layers)

    def forward(self, x):
        return self.network(x)


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_layer_sizes, output_size]
