# SPDX-License-Identifier: GPL-3.0-or-later
# A distance of two lists of probabilities.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, predictions, targets):
        return (targets * (torch.log(targets) - torch.log(predictions))).sum() / predictions.shape[0]


def get_inputs():
    return [torch.softmax(torch.randn(192, 4096), dim=1), torch.softmax(torch.randn(192, 4096), dim=1)]


def get_init_inputs():
    return []
