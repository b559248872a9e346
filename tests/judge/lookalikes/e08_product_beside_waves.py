# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: product_beside_waves
# labels: library_calls
# Sums the product in two halves, and writes both parts of the result where they belong.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width, bias=False)

    def forward(self, x):
        width = x.shape[1]
        half = width // 2
        out = torch.empty(len(x), 2 * width, device=x.device)
        torch.sin(1.1e8 * x, out=out[:, :width])
        weight = self.up.weight
        out[:, width:] = (x[:, :half] @ weight[:, :half].mT).add_(x[:, half:] @ weight[:, half:].mT).mul_(16)
        return out
