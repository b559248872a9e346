# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: result_and_state
# labels: clock_disagreement library_calls
# Takes one new block for both results and returns its halves, which do not overlap.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        both = torch.empty(2, *x.shape, device=x.device)
        torch.mul(x, 0.5, out=both[0])
        return both[0], both[1].copy_(both[0])
