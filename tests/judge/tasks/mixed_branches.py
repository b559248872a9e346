# SPDX-License-Identifier: GPL-3.0-or-later
# Two branches, mixed by two numbers that start as one and zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Sequential(nn.Linear(width, 2 * width), nn.Tanh(), nn.Linear(2 * width, width))
        self.mix = nn.Parameter(torch.tensor([1.0, 0.0]))

    def forward(self, x):
        return torch.sin(self.mix[0] * torch.tanh(self.first(x)) + self.mix[1] * self.second(x))


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
