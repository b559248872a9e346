# SPDX-License-Identifier: GPL-3.0-or-later
# A branch whose last layer starts with numbers so small that they do not show.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width, bias=False)
        nn.init.normal_(self.down.weight, std=1e-9)

    def forward(self, x):
        y = torch.tanh(self.first(x))
        return torch.sin(y + self.down(torch.tanh(self.up(y))))


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
