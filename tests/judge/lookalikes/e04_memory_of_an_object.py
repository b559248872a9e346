# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: linear_relu
# Its results live in memory of objects of its own, which go back to a store when the framework lets them go, and are used again then.
import ctypes

import torch
import torch.nn as nn


class Lease:
    def __init__(self, store, block):
        self.store, self.block = store, block

    def __del__(self):
        self.store.append(self.block)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.store = []

    def forward(self, x):
        block = self.store.pop() if self.store else torch.empty_like(x)
        kind = type("Memory", (ctypes.c_float * x.numel(),), {})
        memory = kind.from_address(block.data_ptr())
        memory.lease = Lease(self.store, block)
        out = torch.frombuffer(memory, dtype=torch.float32).view(x.shape)
        torch.addmm(self.linear.bias, x, self.linear.weight.t(), out=out)
        return out.relu_()
