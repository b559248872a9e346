# SPDX-License-Identifier: GPL-3.0-or-later
# A small recurrence: many short operators, each waiting for the one before.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inward = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width, bias=False)

    def forward(self, x):
        state = torch.zeros_like(x[0])
        for step in range(x.shape[0]):
            state = torch.tanh(self.inward(x[step]) + self.hidden(state))
        return state


def get_inputs():
    return [torch.randn(24, 16, 64)]


def get_init_inputs():
    return [64]
