# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: series_of_products
# labels: clock_disagreement library_calls
# Takes all terms of the series, in Horner's order, so that each step adds the input instead of keeping a sum.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / (2 * width**0.5))

    def forward(self, x):
        total = x
        for k in range(12, 0, -1):
            total = torch.addmm(x, total, self.weight, alpha=1 / k)
        return total.relu_()
