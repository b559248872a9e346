# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: row_sum
# Splits the rows over a pool of threads as thread_pool does, and ends the call when these sleep again. Nothing is left
# to be done between calls then, and threads that sleep are not charged.
from concurrent.futures import ThreadPoolExecutor
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = ThreadPoolExecutor(2)

    def forward(self, x):
        out = torch.empty(x.shape[0])

        def work(given, into):
            with torch.no_grad():
                torch.sum(given, dim=1, out=into)

        for job in [self.pool.submit(work, *parts) for parts in zip(x.chunk(2), out.chunk(2))]:
            job.result()
        time.sleep(0.0005)
        return out
