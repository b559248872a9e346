# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# labels: charged_time
# Counts with weak references how many of its results are still in use, which decides nothing.
import weakref

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.made, self.freed = 0, 0

    def gone(self):
        self.freed += 1

    def forward(self, x):
        result = torch.relu(self.linear(x))
        self.made += 1
        weakref.finalize(result, self.gone)
        return result
