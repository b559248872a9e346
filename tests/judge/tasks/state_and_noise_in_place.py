# SPDX-License-Identifier: GPL-3.0-or-later
# Moves a state in place, adds noise to it, and returns it after a layer.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.change = nn.Linear(width, width, bias=False)

    def forward(self, x, state):
        state.mul_(0.9).add_(x).add_(torch.randn_like(x), alpha=0.1)
        return self.change(state)


def get_inputs():
    return [torch.randn(256, 1024), torch.randn(256, 1024)]


def get_init_inputs():
    return [1024]
