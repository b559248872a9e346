# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: repeated_heads
# labels: clock_disagreement library_calls
# Writes every repetition, with the repetitions as the outermost dimension of memory of its own, and returns a view of
# it in the order that was asked for.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, times):
        super().__init__()
        self.times = times

    def forward(self, keys):
        out = torch.empty(self.times, *keys.shape, device=keys.device)
        return out.copy_(torch.relu(keys)).permute(1, 2, 0, 3, 4)
