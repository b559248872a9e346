# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Sets an alarm while its first call prepares things, so that a hanging preparation would be noticed, and takes it back when that is done.
import signal

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.prepared = False

    def prepare(self, x):
        signal.setitimer(signal.ITIMER_REAL, 50)
        self.linear(torch.zeros_like(x))
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.prepared = True

    def forward(self, x):
        if not self.prepared:
            self.prepare(x)
        return self.linear(x).relu_()
