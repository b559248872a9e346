# SPDX-License-Identifier: GPL-3.0-or-later
# A product whose numbers are rounded to whole numbers of eight bits.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x):
        return torch.clamp(torch.round(16 * (x @ self.weight)), -127, 127).to(torch.int8)


def get_inputs():
    return [torch.randn(1024, 512)]


def get_init_inputs():
    return [512]
