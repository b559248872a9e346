# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_mean
# Times two ways on a copy in its first call and stays with the faster one.
import time

import torch
import torch.nn as nn

WAYS = (lambda x: x.mean(dim=1, keepdim=True), lambda x: x.sum(dim=1, keepdim=True) / x.shape[1])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.way = None

    def forward(self, x):
        if self.way is None:
            times = {}
            trial = x.clone()
            for way in WAYS:
                begun = time.perf_counter()
                for _ in range(5):
                    way(trial).sum().item()
                times[way] = time.perf_counter() - begun
            self.way = min(times, key=times.get)
        return self.way(x)
