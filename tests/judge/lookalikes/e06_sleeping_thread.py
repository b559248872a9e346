# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: vector_product
# Has a thread that sleeps and notes every few seconds how much memory is in use, as monitoring does.
import resource
import threading

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.peak, self.stop = 0, threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while not self.stop.wait(2):
            self.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def forward(self, x):
        return torch.nn.functional.linear(x, self.linear.weight)
