# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean squared error: mean((predictions - targets)^2)."""
import torch
import torch.nn as nn

batch_size = 128
features = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return torch.mean((predictions - targets) ** 2)


def get_inputs():
    predictions = torch.randn(batch_size, features)
    targets = torch.randn(batch_size, features)
    return [predictions, targets]


def get_init_inputs():
    return []
