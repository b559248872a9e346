# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Replaces a method of its own object by one that fits the device, when the first call shows which that is.
import types

import torch
import torch.nn as nn


def on_a_cpu(self, x):
    return torch.addmm(self.linear.bias, x, self.linear.weight.t()).relu_()


def elsewhere(self, x):
    return torch.relu(self.linear(x))


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.compute = self.choose

    def choose(self, x):
        self.compute = types.MethodType(elsewhere if x.is_cuda else on_a_cpu, self)
        return self.compute(x)

    def forward(self, x):
        return self.compute(x)
