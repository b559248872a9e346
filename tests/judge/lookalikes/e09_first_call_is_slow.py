# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: recurrence
# Takes a quarter of a second longer in its first call, in which it tries shapes out and fills caches of the framework.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inward = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width, bias=False)
        self.ready = False

    def prepare(self, x):
        until = time.monotonic() + 0.25
        trial = torch.zeros_like(x)
        while time.monotonic() < until:
            self.hidden(torch.tanh(self.inward(trial[0])))
        self.ready = True

    def forward(self, x):
        if not self.ready:
            self.prepare(x)
        state = torch.zeros_like(x[0])
        for step in range(x.shape[0]):
            state = torch.tanh(self.inward(x[step]) + self.hidden(state))
        return state
