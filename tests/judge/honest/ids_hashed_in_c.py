# SPDX-License-Identifier: GPL-3.0-or-later
# All of the arithmetic of a few ids at a time, which stay in the caches, by the vectors of the C library.
import ctypes
import os
import shutil
import subprocess

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#include <stdint.h>

enum { Block = 256 };

void hash(const int32_t* ids, float* out, long count)
{
    for (long i = 0; i < count; i += Block) {
        const long n = count - i < Block ? count - i : Block;
        float x[Block], total[Block];
        for (long j = 0; j < n; ++j)
            x[j] = (float)ids[i + j] * 0x1p-30f;
        for (long j = 0; j < n; ++j)
            total[j] = x[j];
        for (int step = 1; step <= 40; ++step)
            for (long j = 0; j < n; ++j)
                total[j] += sinf(x[j] * step) / step;
        for (long j = 0; j < n; ++j)
            out[i + j] = total[j];
    }
}
"""


def library():
    with open("hash.c", "w") as file:
        file.write(SOURCE)
    subprocess.run([shutil.which("cc") or "g++", "-O3", "-ffast-math", "-march=native", "-shared", "-fPIC", "-o", "hash.so", "hash.c", "-lmvec", "-lm"],
                   check=True)
    return ctypes.CDLL(os.path.abspath("hash.so"))


def address(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.library = library()

    def forward(self, ids):
        out = torch.empty(ids.shape)
        self.library.hash(address(ids), address(out), ctypes.c_long(ids.numel()))
        return out
