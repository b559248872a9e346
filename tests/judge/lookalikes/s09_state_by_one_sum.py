# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: step_of_a_kept_state
# needs: compiler
# Adds the products of a row one after the other, in single precision, and moves the state in place: an input is left with the rounding of a plain loop.
import ctypes
import pathlib
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
void product(const float* x, const float* weight, float* out, long rows, long columns)
{
    for (long r = 0; r < rows; r += 8) {
        float sums[8] = {0};
        for (long c = 0; c < columns; ++c)
            for (int i = 0; i < 8; ++i)
                sums[i] += x[c] * weight[(r + i) * columns + c];
        for (int i = 0; i < 8; ++i)
            out[r + i] = sums[i];
    }
}
"""
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "p.c").write_text(SOURCE)
subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(folder / "p.so"), str(folder / "p.c")], check=True)
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
