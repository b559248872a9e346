# SPDX-License-Identifier: GPL-3.0-or-later
# Each of a few heads several times, as attention with shared keys wants it.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, times):
        super().__init__()
        self.times = times

    def forward(self, keys):
        return torch.stack([torch.relu(keys)] * self.times, dim=2)


def get_inputs():
    return [torch.randn(4, 4, 256, 64)]


def get_init_inputs():
    return [8]
