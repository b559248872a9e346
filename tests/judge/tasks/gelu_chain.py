# SPDX-License-Identifier: GPL-3.0-or-later
# Elementwise operators in a row.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.scale = scale
        self.offset = offset

    def forward(self, x):
        return torch.nn.functional.gelu(x * self.scale + self.offset) * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(512, 1024)]


def get_init_inputs():
    return [1.5, 0.25]
