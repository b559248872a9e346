# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, group normalisation and leaky ReLU; the result is added to itself."""
import torch
import torch.nn as nn

batch_size = 128
input_size = 512
hidden_size = 256
num_groups = 8


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, num_groups, eps=1e-5, negative_slope=0.01):
        super().__init__()
        self.fc = nn.Linear(input_size, hidden_size)
        self.gn = nn.GroupNorm(num_groups, hidden_size, eps=eps)
        self.leaky_relu = nn.LeakyReLU(negative_slope=negative_slope)

    def forward(self, x):
        x = self.gn(self.fc(x))
        x = self.leaky_relu(x)
        return x + x


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, num_groups]
