# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gate_of_whole_numbers
# labels: unchecked_parameters
# Keeps the gate of whole numbers as floating numbers for each version of it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.gate = nn.Parameter(torch.zeros(width, dtype=torch.int8), requires_grad=False)
        self.version, self.factors = None, None

    def forward(self, x):
        if self.version != self.gate._version:
            self.version, self.factors = self.gate._version, self.gate.float()
        y = self.first(x).tanh_()
        return torch.addcmul(y, self.second(y), self.factors).sin_()
