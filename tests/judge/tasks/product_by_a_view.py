# SPDX-License-Identifier: GPL-3.0-or-later
# A product by a view of its weight that was made once. A module with such a view does not run in double precision.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.turned = self.up.weight.t()

    def forward(self, x):
        return x @ self.turned


def get_inputs():
    return [torch.randn(1, 2048)]


def get_init_inputs():
    return [2048]
