# SPDX-License-Identifier: GPL-3.0-or-later
# A loss: two inputs to one number.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, prediction, target):
        return torch.mean((prediction - target) ** 2)


def get_inputs():
    return [torch.randn(256, 4096), torch.randn(256, 4096)]


def get_init_inputs():
    return []
