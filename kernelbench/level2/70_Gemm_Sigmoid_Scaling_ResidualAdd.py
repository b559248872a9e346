# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer; its sigmoid, times a constant, is added to it."""
import torch
import torch.nn as nn

batch_size = 128
input_size = 1024
hidden_size = 512
scaling_factor = 2.0


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.gemm = nn.Linear(input_size, hidden_size)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.gemm(x)
        return torch.sigmoid(x) * self.scaling_factor + x


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, scaling_factor]
