# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gelu_chain
# Keeps its two constants on a page of its own that it has the kernel lock against writing.
import ctypes
import mmap
import struct

import torch
import torch.nn as nn

libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class ModelNew(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.page = mmap.mmap(-1, mmap.PAGESIZE)
        struct.pack_into("<dd", self.page, 0, scale, offset)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ)

    def forward(self, x):
        scale, offset = struct.unpack_from("<dd", self.page, 0)
        return nn.functional.gelu(x * scale + offset) * torch.sigmoid(x)
