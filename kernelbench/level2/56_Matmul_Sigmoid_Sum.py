# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, sigmoid, then the sum of the features of each row."""
import torch
import torch.nn as nn

batch_size = 128
input_size = 10
hidden_size = 20


class Model(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)

    def forward(self, x):
        x = torch.sigmoid(self.linear(x))
        return torch.sum(x, dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size]
