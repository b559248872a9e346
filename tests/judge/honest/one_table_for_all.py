# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the table once and writes it out for every row of the batch.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, width))

    def forward(self, x):
        return torch.tanh(self.table).expand(x.shape[0], -1, -1).contiguous()
