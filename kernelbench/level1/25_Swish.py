# SPDX-License-Identifier: GPL-3.0-or-later
"""Swish of every element: x sigmoid(x)."""
import torch
import torch.nn as nn

batch_size = 16
features = 16384


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return []
