# SPDX-License-Identifier: GPL-3.0-or-later
"""Kullback-Leibler divergence of two batches of distributions: sum(targets log(targets / predictions)) / batch size."""
import torch
import torch.nn as nn

batch_size = 128
features = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return torch.nn.functional.kl_div(torch.log(predictions), targets, reduction="batchmean")


def get_inputs():
    predictions = torch.randn(batch_size, features).softmax(dim=-1)
    targets = torch.randn(batch_size, features).softmax(dim=-1)
    return [predictions, targets]


def get_init_inputs():
    return []
