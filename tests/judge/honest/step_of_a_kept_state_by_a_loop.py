# SPDX-License-Identifier: GPL-3.0-or-later
# The product of step_of_a_kept_state by a loop in C.
import ctypes
import pathlib
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
void product(const float* x, const float* weight, float* out, long rows, long columns)
{
    for (long r = 0; r < rows; ++r) {
        const float* row = weight + r * columns;
        float sums[64] = {0};
        for (long c = 0; c < columns; c += 64)
            for (int i = 0; i < 64; ++i)
                sums[i] += x[c + i] * row[c + i];
        float sum = 0;
        for (int i = 0; i < 64; ++i)
            sum += sums[i];
        out[r] = sum;
    }
}
"""
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "p.c").write_text(SOURCE)
subprocess.run(["cc", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-o", str(folder / "p.so"), str(folder / "p.c")], check=True)
product = ctypes.CDLL(str(folder / "p.so")).product
pointer = ctypes.c_void_p


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x, state):
        step = torch.empty_like(state)
        product(pointer(x.data_ptr()), pointer(self.up.weight.data_ptr()), pointer(step.data_ptr()),
                ctypes.c_long(step.shape[1]), ctypes.c_long(x.shape[1]))
        state.lerp_(step, 0.1)
        return torch.tanh(x)
