# SPDX-License-Identifier: GPL-3.0-or-later
# A product with those of its weights that a mask leaves.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward) / inward**0.5)

    def forward(self, x, mask):
        return torch.tanh(x) @ (self.weight * mask[0])


def get_inputs():
    return [torch.randn(8, 1024), torch.rand(1, 1024, 1024) < 0.5]


def get_init_inputs():
    return [1024, 1024]
