# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: stepped_product
# labels: library_calls precision
# Adds up the products in another order, so that a few numbers end up a step away.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x):
        half = x.shape[1] // 2
        y = torch.addmm(x[:, :half] @ self.weight[:half], x[:, half:], self.weight[half:])
        return y.mul_(8).floor_()
