# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: long_product
# labels: clock_disagreement library_calls
# Splits the long dimension into blocks and adds their products, which is another order of the same sums.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        rows = a.view(a.shape[0], 16, -1).transpose(0, 1)
        return torch.bmm(rows, b.view(16, -1, b.shape[1])).sum(dim=0)
