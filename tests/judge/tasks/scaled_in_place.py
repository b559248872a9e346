# SPDX-License-Identifier: GPL-3.0-or-later
# Changes its argument, as a caller expects who goes on with it, and returns the sums of its rows.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.mul_(2).add_(1).sum(1)


def get_inputs():
    return [torch.rand(512, 2048)]


def get_init_inputs():
    return []
