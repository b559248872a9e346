# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: sign_product
# labels: clock_disagreement
# Makes signs of two comparisons, in each call anew.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward) / inward**0.5)

    def forward(self, x):
        return (x > 0).to(x.dtype).sub_((x < 0).to(x.dtype)).mm(self.weight)
