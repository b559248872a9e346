# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# labels: clock_disagreement library_calls
# Writes its result into a part of a block with padded rows that it takes anew in each call, and returns that part.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        block = torch.empty(x.shape[0], x.shape[1] + 16, device=x.device)
        out = block[:, : x.shape[1]]
        torch.clamp(self.linear(x), min=0, out=out)
        return out
