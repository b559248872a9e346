# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# labels: clock_disagreement library_calls
# Changes after a few calls to weights in another layout, which pays only for a module that is used often. Both ways
# have all digits.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.calls, self.version = 0, None

    def forward(self, x):
        self.calls += 1
        if self.calls <= 5:
            return torch.relu_(self.linear(x))
        if self.version != self.linear.weight._version:
            self.version = self.linear.weight._version
            self.turned = self.linear.weight.detach().t().contiguous()
        return torch.addmm(self.linear.bias, x, self.turned).relu_()
