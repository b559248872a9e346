# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Splits the rows over a pool of threads and waits for all of them before it returns.
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = ThreadPoolExecutor(2)

    def forward(self, x):
        if x.is_cuda:
            return x.sum(dim=1)
        out = torch.empty(x.shape[0])

        def work(given, into):
            with torch.no_grad():
                torch.sum(given, dim=1, out=into)

        for job in [self.pool.submit(work, *parts) for parts in zip(x.chunk(2), out.chunk(2))]:
            job.result()
        return out
