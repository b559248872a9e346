# SPDX-License-Identifier: GPL-3.0-or-later
# The logarithm of sums of many exponentials.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.logsumexp(x, dim=1)


def get_inputs():
    return [torch.randn(64, 16384)]


def get_init_inputs():
    return []
