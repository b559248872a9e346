# SPDX-License-Identifier: GPL-3.0-or-later
# A product whose numbers are rounded down.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x):
        return torch.floor(8 * (x @ self.weight))


def get_inputs():
    return [torch.randn(1024, 512)]


def get_init_inputs():
    return [512]
