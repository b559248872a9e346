# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Keeps a large block that it fills with zeros whenever it is built or the input has another size, and uses its start as a workspace.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = torch.zeros(1 << 24)

    def forward(self, x):
        if self.block.device != x.device or self.block.numel() < x.shape[0]:
            self.block = torch.zeros(max(1 << 24, x.shape[0]), device=x.device)
        sums = self.block[: x.shape[0]]
        torch.sum(x, dim=1, out=sums)
        return sums.clone()
