# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: dropout
# labels: clock_disagreement
# Draws the same mask from the same generator as the framework's own dropout does, in the call in which it is used, into
# memory that it needs anyway.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        mask = torch.empty_like(x).bernoulli_(0.5).div_(0.5)
        return mask.mul_(torch.tanh(x))
