# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: linear_relu
# Keeps its workspace between two pages that cannot be touched, so that a write beside it would show. The result is memory of the framework's.
import ctypes
import mmap

import torch
import torch.nn as nn

libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGE = mmap.PAGESIZE


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.workspace = None

    def guarded(self, like):
        size = (4 * like.numel() + PAGE - 1) // PAGE * PAGE
        self.memory = mmap.mmap(-1, size + 2 * PAGE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        for guard in (address, address + PAGE + size):
            libc.mprotect(guard, PAGE, 0)
        return torch.frombuffer((ctypes.c_float * like.numel()).from_address(address + PAGE), dtype=torch.float32).view(like.shape)

    def forward(self, x):
        if self.workspace is None:
            self.workspace = self.guarded(x)
        torch.addmm(self.linear.bias, x, self.linear.weight.t(), out=self.workspace)
        return torch.relu(self.workspace)
