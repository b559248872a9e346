# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Draws an order of the rows from a generator of its own with a fixed seed, sums them in it and puts the sums back into place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.order = None

    def forward(self, x):
        if self.order is None or self.order.numel() != x.shape[0] or self.order.device != x.device:
            self.order = torch.randperm(x.shape[0], generator=torch.Generator().manual_seed(17)).to(x.device)
        out = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        return out.index_copy_(0, self.order, x.sum(dim=1)[self.order])
