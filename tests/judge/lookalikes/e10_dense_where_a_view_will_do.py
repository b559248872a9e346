# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: split_heads
# labels: clock_disagreement
# Returns a copy with memory of its own where the reference returns a view of its input.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2).contiguous()
