# SPDX-License-Identifier: GPL-3.0-or-later
# What a network that takes noise away knows of the moment: waves of a whole number, and two layers.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, moment):
        speeds = torch.exp(-torch.arange(self.up.in_features // 2, device=moment.device) / 64)
        angles = moment[:, None] * speeds
        return self.down(nn.functional.silu(self.up(torch.cat((angles.sin(), angles.cos()), dim=1))))


def get_inputs():
    return [torch.randint(1, 1000, (1,)).float()]


def get_init_inputs():
    return [1024]
