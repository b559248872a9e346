# SPDX-License-Identifier: GPL-3.0-or-later
# One kernel for the three operators, launched by the framework.
import torch
import torch.nn as nn

KERNEL = r"""
extern "C" __global__ void work(const float* in, float* out, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count)
        out[at] = fmaxf(in[at] * 1.5f + 0.25f, 0.f);
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = torch.cuda._compile_kernel(KERNEL, "work")

    def forward(self, x):
        out = torch.empty_like(x)
        self.kernel(((x.numel() + 255) // 256, 1, 1), (256, 1, 1), (x, out, x.numel()))
        return out
