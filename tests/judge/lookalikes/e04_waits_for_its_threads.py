# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: gelu_chain
# Has two threads of its own write the result, which count down a latch, and returns when the latch is at zero.
import queue
import threading

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.scale, self.offset = scale, offset
        self.jobs, self.done = queue.SimpleQueue(), threading.Semaphore(0)
        for _ in range(2):
            threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        with torch.no_grad():
            while True:
                x, out = self.jobs.get()
                torch.mul(torch.nn.functional.gelu(x * self.scale + self.offset), torch.sigmoid(x), out=out)
                del x, out
                self.done.release()

    def forward(self, x):
        out = torch.empty_like(x)
        for part in zip(x.chunk(4), out.chunk(4)):
            self.jobs.put(part)
        for _ in range(4):
            self.done.acquire()
        return out
