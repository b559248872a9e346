# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: slow_marked_rows
# labels: large_speedup
# Calls are long, and results lie in memory that is used again when nobody holds it. All of it is written in each call.
import sys

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.slots = []

    def forward(self, ids):
        free = [slot for slot in self.slots if sys.getrefcount(slot) == 3]  # the list, the name and the argument
        if not free:
            self.slots.append(torch.empty(ids.shape[0], 65536, dtype=torch.int32))
            free = self.slots[-1:]
        return free[0].zero_().scatter_(1, ids[:, None], 1)
