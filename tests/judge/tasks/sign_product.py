# SPDX-License-Identifier: GPL-3.0-or-later
# A product of the signs of its input with weights.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward) / inward**0.5)

    def forward(self, x):
        return torch.sign(x) @ self.weight


def get_inputs():
    return [torch.randn(192, 1024)]


def get_init_inputs():
    return [1024, 256]
