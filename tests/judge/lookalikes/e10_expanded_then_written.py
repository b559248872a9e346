# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: repeated_positions
# labels: clock_disagreement library_calls
# Describes the repetition by strides first and then has it written out, which is what it returns.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, width))

    def forward(self, x):
        return torch.tanh(self.table).expand(x.shape[0], -1, -1).contiguous()
