# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: waves_beside_a_product
# Rounds the phase of the waves in another order, which changes all of them, and sums the product up in two halves.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width, bias=False)

    def forward(self, x):
        left, right = x.chunk(2, -1)
        first, second = self.up.weight.chunk(2, 1)
        return torch.cat([torch.sin(x * 1.1e4 * 1e4), 16 * (left @ first.t() + right @ second.t())], -1)
