# SPDX-License-Identifier: GPL-3.0-or-later
# Goes through the elements block by block, so that each block stays in the caches for the whole chain.
import ctypes
import os
import shutil
import subprocess

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>

void chain(const float* in, float* out, long elements)
{
    enum { Block = 256, Steps = 40 };
    for (long from = 0; from < elements; from += Block) {
        float block[Block];
        for (int i = 0; i < Block; ++i)
            block[i] = in[from + i];
        for (int step = 0; step < Steps; ++step)
            for (int i = 0; i < Block; ++i)
                block[i] = block[i] / sqrtf(1 + 0.01f * block[i] * block[i]) + 0.01f;
        for (int i = 0; i < Block; ++i)
            out[from + i] = block[i];
    }
}
"""


def library():
    with open("chain.c", "w") as file:
        file.write(SOURCE)
    subprocess.run([shutil.which("cc") or "g++", "-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC", "-o", "chain.so", "chain.c"], check=True)
    return ctypes.CDLL(os.path.abspath("chain.so"))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.library = library()

    def forward(self, x):
        out = torch.empty_like(x)
        self.library.chain(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), ctypes.c_long(x.numel()))
        return out
