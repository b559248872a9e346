# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Computes through hooks of its submodule: one before it that counts, one behind it that applies the ReLU.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.calls = 0
        self.linear.register_forward_pre_hook(self.count)
        self.linear.register_forward_hook(lambda module, given, result: torch.relu(result))

    def count(self, module, given):
        self.calls += 1

    def forward(self, x):
        return self.linear(x)
