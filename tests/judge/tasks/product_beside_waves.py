# SPDX-License-Identifier: GPL-3.0-or-later
# A product beside waves of so high a frequency that rounding decides about them, in one result.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return torch.cat([torch.sin(1.1e8 * x), 16 * self.up(x)], -1)


def get_inputs():
    return [torch.randn(1, 4096)]


def get_init_inputs():
    return [4096]
