# SPDX-License-Identifier: GPL-3.0-or-later
# Waves of so high a frequency that rounding decides about them, of which only the upper half is left, beside a product.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return torch.relu(torch.cat([torch.sin(1.1e8 * x), self.up(x)], -1))


def get_inputs():
    return [torch.randn(64, 512)]


def get_init_inputs():
    return [512]
