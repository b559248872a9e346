# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: state_of_zeros
# labels: library_calls uneven_calls
# Looks whether there is a state before it multiplies by it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.own = nn.Linear(width, width)
        self.state = nn.Linear(2 * width, width, bias=False)

    def forward(self, x, state):
        y = self.own(x)
        if state.any():
            y += self.state(state)
        return y.tanh_()
