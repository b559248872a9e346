# SPDX-License-Identifier: GPL-3.0-or-later
# Waves of a high frequency beside a product, in one result: rounding takes the waves a hundred times as far as the product.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x):
        return torch.cat([torch.sin(500 * x), torch.cos(500 * x), self.up(x)], -1)


def get_inputs():
    return [torch.randn(1, 2048)]


def get_init_inputs():
    return [2048]
