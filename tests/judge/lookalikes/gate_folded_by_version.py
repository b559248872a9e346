# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gated_head
# labels: library_calls
# Keeps its weights in another layout, and makes that anew when a parameter has another version: legitimate preparation, which
# follows weights that are given later.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.gate = nn.Parameter(torch.zeros(width))
        self.versions, self.gated = None, None

    def forward(self, x):
        down = self.down
        versions = (self.gate._version, down.weight._version, down.bias._version)
        if self.versions != versions:  # the gate becomes a part of the layer behind it
            self.versions = versions
            self.gated = (down.weight * self.gate[:, None], down.bias * self.gate)
        return torch.relu(self.head(x)) + F.linear(torch.relu(self.up(x)), *self.gated)
