# SPDX-License-Identifier: GPL-3.0-or-later
# device: cuda
# task: positive_relu
# labels: clock_disagreement
# needs: nvcc ninja
# A kernel of its own through load_inline, launched on the caller's stream.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/types.h>
#include <c10/cuda/CUDAStream.h>

__global__ void keep_positive(const float* x, float* out, long count)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] > 0 || isnan(x[i]) ? x[i] : 0.0f;
}

torch::Tensor positive(torch::Tensor x)
{
    torch::Tensor out = torch::empty_like(x);
    const long count = x.numel();
    keep_positive<<<(count + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream().stream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), count);
    return out;
}
"""
extension = load_inline("keep_positive", cpp_sources="torch::Tensor positive(torch::Tensor x);", cuda_sources=CUDA, functions=["positive"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.positive(x)
