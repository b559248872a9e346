# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: product_by_a_view
# labels: library_calls
# Adds up the products in two halves, where the reference does not run in double precision.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x):
        weight, half = self.up.weight, x.shape[1] // 2
        return torch.addmm(x[:, :half] @ weight[:, :half].t(), x[:, half:], weight[:, half:].t())
