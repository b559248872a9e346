# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Uses a scratch object in each call whose __del__ gives a number back to a list of free ones.
import torch
import torch.nn as nn


class Slot:
    free = list(range(8))

    def __init__(self):
        self.number = self.free.pop()

    def __del__(self):
        self.free.append(self.number)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        slot = Slot()
        result = torch.relu(self.linear(x))
        return result if slot.number >= 0 else x
