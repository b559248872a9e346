# SPDX-License-Identifier: GPL-3.0-or-later
# A layer, and beside it a larger branch that starts scaled to almost nothing, as in deep residual networks.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.scale = nn.Parameter(1e-6 * torch.ones(width))

    def forward(self, x):
        return torch.relu(self.head(x)) + self.scale * self.down(torch.relu(self.up(x)))


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return [256]
