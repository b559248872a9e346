# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Computes into a larger block that is new in each call and returns the part of it that was asked for.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        block = torch.empty(x.shape[0] + 8, x.shape[1], device=x.device)
        out = block[: x.shape[0]]
        torch.addmm(self.linear.bias, x, self.linear.weight.t(), out=out)
        return out.relu_()
