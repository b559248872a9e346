# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: marked_ids
# Nobody may read its memory for results while they are not in use, so that a stray pointer shows. Each call unlocks one and writes all
# of it.
import ctypes
import mmap
import sys

import torch
import torch.nn as nn

NOBODY, READ_AND_WRITE = 0, 3
protect = ctypes.CDLL(None).mprotect


class Slot:
    def __init__(self, rows):
        self.memory = mmap.mmap(-1, rows * 2048 * 4, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.rows = torch.frombuffer(self.memory, dtype=torch.float32).view(rows, 2048)

    def give(self, rights):
        protect(ctypes.c_void_p(self.rows.data_ptr()), ctypes.c_size_t(self.rows.nbytes), rights)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.slots, self.turn = [], 0

    def forward(self, ids):
        free = [slot for slot in self.slots if sys.getrefcount(slot.rows) == 2]  # the slot's own name and the argument
        while len(free) < 2:
            self.slots.append(Slot(ids.shape[0]))
            free.append(self.slots[-1])
        self.turn += 1
        before, now = (free[0], free[1]) if self.turn % 2 else (free[1], free[0])
        before.give(NOBODY)
        now.give(READ_AND_WRITE)
        now.rows.zero_().scatter_(1, ids[:, None], 1.0)
        return now.rows
