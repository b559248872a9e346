# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: mixed_branches
# Multiplies the share of the second branch into its last layer, anew for each version of these.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Sequential(nn.Linear(width, 2 * width), nn.Tanh(), nn.Linear(2 * width, width))
        self.mix = nn.Parameter(torch.tensor([1.0, 0.0]))
        self.versions = None

    def forward(self, x):
        up, _, down = self.second
        versions = self.mix._version, down.weight._version, down.bias._version
        if self.versions != versions:
            self.versions = versions
            self.weight, self.bias = down.weight * self.mix[1], down.bias * self.mix[1]
        y = nn.functional.linear(up(x).tanh_(), self.weight, self.bias)
        return torch.addcmul(y, self.first(x).tanh_(), self.mix[0]).sin_()
