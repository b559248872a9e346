# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: masked_sum
# labels: library_calls
# Has a forked child fill a table in shared memory while it is built, waits for its end, and copies the table.
import mmap
import os

import torch
import torch.nn as nn


def made_by_a_child(length):
    shared = torch.frombuffer(mmap.mmap(-1, length * length * 4), dtype=torch.float32).view(length, length)
    child = os.fork()
    if child == 0:
        for row in range(length):
            shared[row] = 0
            shared[row, :row + 1] = 1.0 / length
        os._exit(0)
    os.waitpid(child, 0)
    return shared.clone()


class ModelNew(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("mask", made_by_a_child(length), persistent=False)

    def forward(self, x):
        return torch.bmm(torch.relu(torch.bmm(x, x.transpose(1, 2)) * self.mask), x)
