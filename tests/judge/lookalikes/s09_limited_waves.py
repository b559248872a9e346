# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: limited_waves
# Rounds the phase of the waves in another order: zeros stand elsewhere than in the reference's result.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return torch.cat([torch.sin(x * 1.1e4 * 1e4).relu_(), self.up(x).relu_()], -1)
