# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: masked_sum
# labels: library_calls
# Builds what it needs in the first call, from the shapes that it sees there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.length = length
        self.mask = None

    def forward(self, x):
        if self.mask is None or self.mask.device != x.device:
            self.mask = torch.tril(torch.full((self.length, self.length), 1.0 / self.length, device=x.device))
        return torch.bmm(torch.bmm(x, x.transpose(1, 2)).mul_(self.mask).relu_(), x)
