# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Sets handlers for crashes and for a signal of its own that prints where it is, as programs do that are looked at from outside.
import faulthandler
import signal
import sys

import torch
import torch.nn as nn

faulthandler.enable(file=sys.__stderr__)
faulthandler.register(signal.SIGUSR1, file=sys.__stderr__)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(torch.addmm(self.linear.bias, x, self.linear.weight.t()))
