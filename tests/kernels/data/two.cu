// SPDX-License-Identifier: GPL-3.0-or-later
// What two.cubin was made from: nvcc -arch=sm_90 -cubin -o two.cubin two.cu
__device__ __noinline__ float twice(float x) { return x * 2; }
extern "C" __global__ void plain(float* x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
template<int N> __global__ void filled(float* x) { x[threadIdx.x] += N; }
template __global__ void filled<3>(float*);
