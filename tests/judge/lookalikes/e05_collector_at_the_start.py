# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Runs the garbage collector while it is built, counts what there is, and freezes it, as servers do before they fork.
import gc

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        gc.collect()
        self.tensors = sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects())
        gc.freeze()

    def forward(self, x):
        return torch.relu(self.linear(x))
