# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinge loss of a binary classifier: mean(max(1 - predictions * targets, 0)), targets -1 or 1."""
import torch
import torch.nn as nn

batch_size = 128


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return torch.mean(torch.clamp(1 - predictions * targets, min=0))


def get_inputs():
    predictions = torch.randn(batch_size, 1)
    targets = torch.randint(0, 2, (batch_size, 1)).float() * 2 - 1
    return [predictions, targets]


def get_init_inputs():
    return []
