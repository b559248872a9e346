# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gelu_chain
# labels: clock_disagreement
# needs: compiler
# Leaves the work to the framework's compiler.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.scale, self.offset = scale, offset
        self.compiled = torch.compile(self.compute)

    def compute(self, x):
        return torch.nn.functional.gelu(x * self.scale + self.offset) * torch.sigmoid(x)

    def forward(self, x):
        return self.compiled(x)
