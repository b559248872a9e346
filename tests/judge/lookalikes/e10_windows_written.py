# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: sliding_windows
# labels: clock_disagreement library_calls
# Gathers overlapping windows by their numbers into memory of its own, and scales them there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        own = torch.empty_like(x.unfold(1, 256, 8), memory_format=torch.contiguous_format)
        return torch.mul(x.unfold(1, 256, 8), 0.5, out=own)
