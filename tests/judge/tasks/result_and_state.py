# SPDX-License-Identifier: GPL-3.0-or-later
# A result and a copy of it that the next step may change.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        result = x * 0.5
        return result, result.clone()


def get_inputs():
    return [torch.randn(1024, 1024)]


def get_init_inputs():
    return []
