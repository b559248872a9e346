# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Every 200th call it compares its result with a plain one and keeps the largest difference, which decides nothing.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.calls, self.worst = 0, 0.0

    def forward(self, x):
        result = torch.relu(torch.addmm(self.linear.bias, x, self.linear.weight.t()))
        self.calls += 1
        if self.calls % 200 == 0:
            self.worst = max(self.worst, float((result - torch.relu(self.linear(x))).abs().max()))
        return result
