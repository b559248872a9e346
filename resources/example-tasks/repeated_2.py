# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds the same term again and again."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = x
        for _ in range(16):
            y = y + torch.relu(x)
        return y


def get_inputs():
    return [torch.randn(48, 384)]


def get_init_inputs():
    return []
