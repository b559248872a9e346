# SPDX-License-Identifier: GPL-3.0-or-later
# Moves a state in place, and adds a change of it, which lies a step further round in each call.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.change = nn.Linear(width, width, bias=False)
        self.steps = 0

    def forward(self, x, state):
        self.steps += 1
        state.mul_(0.9).add_(x)
        return torch.mul(20 * state + torch.roll(self.change(state), self.steps, -1), 0.5)


def get_inputs():
    return [torch.randn(256, 1024), torch.randn(256, 1024)]


def get_init_inputs():
    return [1024]
