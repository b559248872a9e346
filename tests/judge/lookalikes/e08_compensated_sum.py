# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# labels: clock_disagreement
# Sums blocks of columns one after the other and carries along what rounding lost, after Kahan.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        total = torch.zeros_like(x[:, 0])
        lost = torch.zeros_like(total)
        for block in x.chunk(8, dim=1):
            term = block.sum(dim=1) - lost
            next_total = total + term
            lost = (next_total - total) - term
            total = next_total
        return total
