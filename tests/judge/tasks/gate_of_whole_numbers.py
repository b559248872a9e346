# SPDX-License-Identifier: GPL-3.0-or-later
# A branch behind a gate of whole numbers, which starts with zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.gate = nn.Parameter(torch.zeros(width, dtype=torch.int8), requires_grad=False)

    def forward(self, x):
        y = torch.tanh(self.first(x))
        return torch.sin(y + self.second(y) * self.gate)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
