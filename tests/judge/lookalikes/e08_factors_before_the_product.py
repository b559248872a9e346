# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: rows_of_all_sizes
# Gives each row its factor before the product instead of behind it, which rounds otherwise: all rows are as precise as the reference's.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x, sizes):
        return torch.relu((x * torch.exp(40 * torch.tanh(sizes))) @ self.weight)
