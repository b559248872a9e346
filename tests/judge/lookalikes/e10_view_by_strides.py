# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: split_heads
# labels: clock_disagreement
# Describes the same view of the input as the reference, with strides worked out by hand.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        batch, length, width = x.shape
        part = width // self.heads
        return torch.as_strided(x, (batch, self.heads, length, part), (length * width, part, width, 1), x.storage_offset())
