# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: state_and_noise_in_place
# labels: library_calls
# Moves the state with the reference's noise, by other operators: the same call gives the same result, as often as it is made.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.change = nn.Linear(width, width, bias=False)

    def forward(self, x, state):
        noise = torch.randn_like(x)
        state.mul_(0.9).add_(noise.mul_(0.1).add_(x))
        return state @ self.change.weight.mT
