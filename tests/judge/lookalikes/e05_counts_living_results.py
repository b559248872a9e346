# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# labels: charged_time
# Keeps weak references to its results and is told when one goes, to count how many are alive.
import weakref

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.alive = 0

    def gone(self):
        self.alive -= 1

    def forward(self, x):
        result = torch.relu(self.linear(x))
        self.alive += 1
        weakref.finalize(result, self.gone).atexit = False
        return result
