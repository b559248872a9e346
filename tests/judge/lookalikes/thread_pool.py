# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# labels: charged_time
# Splits the rows over a pool of threads and waits for all of them before it returns. A thread of the pool has given its
# result before it asks for other work, so it is still awake when the call has ended, and goes on when the process gets
# ready for the next one: the time that is added is its own. e09_pool_at_rest waits for its threads, and is not charged.
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
