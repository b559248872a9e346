# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: gated_chain
# Keeps its intermediate values in a mapped scratch file of its own, which it grows once and uses again in every call.
import ctypes
import mmap
import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None

    def forward(self, x, gate):
        if self.scratch is None:
            file = os.memfd_create("scratch")
            os.ftruncate(file, 4 * x.numel())
            self.memory = mmap.mmap(file, 4 * x.numel())
            os.close(file)
            self.scratch = torch.frombuffer(self.memory, dtype=torch.float32).view(x.shape)
        torch.mul(x, 1.1, out=self.scratch)
        for _ in range(23):
            self.scratch.tanh_().mul_(1.1)
        return self.scratch.tanh_() * gate
