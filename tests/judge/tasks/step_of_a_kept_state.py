# SPDX-License-Identifier: GPL-3.0-or-later
# Moves a state that its caller keeps a tenth of the way to a product with a large matrix of weights, where the state lies, and returns little beside.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x, state):
        state.lerp_(self.up(x), 0.1)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(1, 2048), torch.randn(1, 4096)]


def get_init_inputs():
    return [2048]
