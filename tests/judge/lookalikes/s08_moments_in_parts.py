# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: few_fading_moments
# labels: library_calls
# Adds up each row in parts.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.register_buffer("weights", torch.exp(-torch.arange(float(count))))

    def forward(self, x):
        y = torch.tanh(x).view(len(x), 64, -1)
        return (y * y).sum(2).sum(1) * (self.weights / x.shape[1])
