# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: equal_rows
# labels: clock_disagreement library_calls
# Takes new memory for the whole result in each call and writes the same row into all of it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty(512, x.shape[1], device=x.device)
        return out.copy_(x.mean(dim=0))
