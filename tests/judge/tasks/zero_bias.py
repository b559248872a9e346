# SPDX-License-Identifier: GPL-3.0-or-later
# A product with a bias that starts as zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)
        self.bias = nn.Parameter(torch.zeros(128, width))

    def forward(self, x):
        return x @ self.weight + torch.nn.functional.gelu(self.bias)


def get_inputs():
    return [torch.randn(128, 512)]


def get_init_inputs():
    return [512]
