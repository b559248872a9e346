# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard hyperbolic tangent of every element: x held between -1 and 1."""
import torch
import torch.nn as nn

batch_size = 16
features = 16384


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.nn.functional.hardtanh(x, min_val=-1.0, max_val=1.0)


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return []
