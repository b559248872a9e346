# SPDX-License-Identifier: GPL-3.0-or-later
# A linear layer and an RMS norm, returned in float32 whatever the inputs are.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        h = self.linear(x).float()
        return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return [1024]
