# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: faint_last_layer
# Computes the branch with the faint layer, in another order and in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width, bias=False)
        nn.init.normal_(self.down.weight, std=1e-9)

    def forward(self, x):
        y = self.first(x).tanh_()
        return torch.addmm(y, self.up(y).tanh_(), self.down.weight.mT).sin_()
