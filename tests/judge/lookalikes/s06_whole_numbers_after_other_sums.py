# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: product_in_whole_numbers
# labels: library_calls precision
# Adds up the products in another order, so that two or three numbers of half a million are rounded to their neighbour.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x):
        half = x.shape[1] // 2
        y = torch.addmm(x[:, :half] @ self.weight[:half], x[:, half:], self.weight[half:])
        return y.mul_(16).round_().clamp_(-127, 127).to(torch.int8)
