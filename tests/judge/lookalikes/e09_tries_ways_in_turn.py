# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Serves its first six calls by three ways in turn, each of which is right, and stays with the one that was fastest.
import time

import torch
import torch.nn as nn

WAYS = (lambda x: x.sum(dim=1), lambda x: torch.einsum("ij->i", x), lambda x: x.sum(dim=-1, keepdim=True).squeeze(-1))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.times, self.best = [], None

    def forward(self, x):
        if self.best is not None:
            return self.best(x)
        way = WAYS[len(self.times) % len(WAYS)]
        begun = time.perf_counter()
        result = way(x)
        if x.is_cuda:
            torch.cuda.current_stream().synchronize()
        self.times.append((time.perf_counter() - begun, way))
        if len(self.times) == 2 * len(WAYS):
            self.best = min(self.times, key=lambda pair: pair[0])[1]
        return result
