# SPDX-License-Identifier: GPL-3.0-or-later
# device: cuda
# task: gelu_chain
# needs: nvcc
# labels: clock_disagreement large_speedup
# Launches a kernel made by NVRTC with the addresses of its tensors as arguments.
import ctypes

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" __global__ void gelu_gate(const float* x, float* out, int count, double scale, double offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float value = x[i], inner = value * (float)scale + (float)offset;
    out[i] = 0.5f * inner * (1.0f + erff(inner * 0.70710678f)) / (1.0f + expf(-value));
}
"""


class ModelNew(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.scale, self.offset = float(scale), float(offset)
        self.function = None

    def forward(self, x):
        if self.function is None:
            self.kernel = torch.cuda._compile_kernel(SOURCE, "gelu_gate")
            self.function = self.kernel.func
            self.launch = ctypes.CDLL("libcuda.so.1").cuLaunchKernel
            self.launch.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        out = torch.empty_like(x)
        count = x.numel()
        values = (ctypes.c_uint64(x.data_ptr()), ctypes.c_uint64(out.data_ptr()), ctypes.c_int(count), ctypes.c_double(self.scale),
                  ctypes.c_double(self.offset))
        arguments = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        stream = torch.cuda.current_stream().cuda_stream
        if self.launch(self.function, (count + 255) // 256, 1, 1, 256, 1, 1, 0, stream, arguments, None) != 0:
            raise RuntimeError("the kernel was not launched")
        return out
