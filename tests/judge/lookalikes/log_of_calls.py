# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Keeps a log of addresses and times of its calls, which decides nothing.
import collections
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = collections.deque(maxlen=100)

    def forward(self, x):
        begun = time.perf_counter_ns()
        result = torch.einsum("ij->i", x)
        self.log.append((x.data_ptr(), x._version, tuple(x.shape), time.perf_counter_ns() - begun))
        return result
