# SPDX-License-Identifier: GPL-3.0-or-later
"""Exponential linear unit of every element: x where positive, alpha (exp(x) - 1) elsewhere."""
import torch
import torch.nn as nn

batch_size = 16
features = 16384
alpha = 1.0


class Model(nn.Module):
    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        return torch.nn.functional.elu(x, alpha=self.alpha)


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [alpha]
