# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Keeps its intermediate product in memory that it uses again, and returns a result of its own in each call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.workspace = None

    def forward(self, x):
        if self.workspace is None or self.workspace.shape != x.shape or self.workspace.device != x.device:
            self.workspace = torch.empty_like(x)
        torch.mm(x, self.linear.weight.t(), out=self.workspace)
        return torch.relu(self.workspace.add_(self.linear.bias))
