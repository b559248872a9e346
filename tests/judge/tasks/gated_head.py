# SPDX-License-Identifier: GPL-3.0-or-later
# A layer, and beside it a larger branch behind a gate that starts as zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.gate = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return torch.relu(self.head(x)) + self.gate * self.down(torch.relu(self.up(x)))


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return [256]
