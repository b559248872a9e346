# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Sets an alarm while it is built, in case that hangs, and takes it back; the old handler is put back too.
import signal

import torch
import torch.nn as nn


def too_long(number, frame):
    raise TimeoutError("building hangs")


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        before = signal.signal(signal.SIGALRM, too_long)
        signal.setitimer(signal.ITIMER_REAL, 20)
        self.linear = nn.Linear(width, width)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    def forward(self, x):
        return torch.relu(self.linear(x))
