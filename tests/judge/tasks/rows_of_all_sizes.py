# SPDX-License-Identifier: GPL-3.0-or-later
# Rows of a product, each times a factor of its own; the factors are of very different size.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x, sizes):
        return torch.relu(x @ self.weight) * torch.exp(40 * torch.tanh(sizes))


def get_inputs():
    return [torch.randn(512, 512), torch.randn(512, 1)]


def get_init_inputs():
    return [512]
