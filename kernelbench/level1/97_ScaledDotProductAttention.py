# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean cosine distance of row pairs: mean(1 - cos(predictions, targets)); the task's name notwithstanding, there is no
attention in it."""
import torch
import torch.nn as nn

batch_size = 128
features = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        similarity = torch.nn.functional.cosine_similarity(predictions, targets, dim=1)
        return torch.mean(1 - similarity)


def get_inputs():
    predictions = torch.randn(batch_size, features)
    targets = torch.randn(batch_size, features)
    return [predictions, targets]


def get_init_inputs():
    return []
