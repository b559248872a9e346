# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Empties a buffer of its own in every call and adds the columns up in it, a block at a time.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = None

    def forward(self, x):
        if self.sums is None or self.sums.device != x.device:
            self.sums = torch.empty(x.shape[0], device=x.device)
        self.sums.zero_()
        for block in x.split(512, dim=1):
            self.sums.add_(block.sum(dim=1))
        return self.sums.clone()
