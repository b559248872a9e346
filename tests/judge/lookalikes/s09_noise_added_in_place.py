# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: sampled_code
# labels: library_calls
# Draws the noise first, and adds the product to it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mean = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x):
        noise = torch.randn(x.shape[0], self.mean.out_features, dtype=x.dtype, device=x.device)
        return torch.addmm(noise, x, self.mean.weight.t(), beta=0.5)
