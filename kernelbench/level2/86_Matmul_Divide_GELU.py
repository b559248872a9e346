# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, divided by a constant, then GELU."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
input_size = 512
output_size = 1024
divisor = 10.0


class Model(nn.Module):
    def __init__(self, input_size, output_size, divisor):
        super().__init__()
        self.linear = nn.Linear(input_size, output_size)
        self.divisor = divisor

    def forward(self, x):
        x = self.linear(x) / self.divisor
        return F.gelu(x)


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, output_size, divisor]
