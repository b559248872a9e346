# SPDX-License-Identifier: GPL-3.0-or-later
# A chain of elementwise operators that takes long beside its inputs, and a gate that is not read before the end.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gate):
        for _ in range(24):
            x = torch.tanh(x * 1.1)
        return x * gate


def get_inputs():
    return [torch.randn(256, 512), torch.randn(256, 512)]


def get_init_inputs():
    return []
