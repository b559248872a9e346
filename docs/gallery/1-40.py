# SPDX-License-Identifier: GPL-3.0-or-later
"""Layer normalisation over channels, height and width of an image batch, with a learnt scale and shift."""
import torch
import torch.nn as nn

# Each switch turns one optimisation on or off; with all of them off this is the original computation.
USE_SPLIT_REDUCTION = True  # take the statistics of norms in many parts, so that the whole GPU works, and normalize behind that
USE_FUSE_ELEMENTWISE = True  # run neighbouring element-wise operators and reductions as one generated kernel

batch_size = 16
features = 64
height = 256
width = 256


import ctypes


class CudaKernel:
    """One CUDA kernel, compiled by NVRTC for the device of its first call."""

    def __init__(self, name, text, grid, block, pointers, scalars, shared=0):
        self.name, self.text, self.grid, self.block, self.shared = name, text, grid, block, shared
        slots = [ctypes.c_void_p() for _ in range(pointers)] + [ctypes.c_double() for _ in range(scalars)]
        self.slots = slots
        self.arguments = (ctypes.c_void_p * len(slots))(*(ctypes.addressof(slot) for slot in slots))
        self.functions = {}

    def compile(self, device):
        def check(code, what):
            if code != 0:
                raise RuntimeError(f"{what} of {self.name} failed with code {code}")

        nvrtc = ctypes.CDLL("libnvrtc.so." + torch.version.cuda.split(".")[0])
        major, minor = torch.cuda.get_device_capability(device)
        options = [f"--gpu-architecture=sm_{major}{minor}".encode(), b"--extra-device-vectorization"]
        program = ctypes.c_void_p()
        check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), self.text.encode(), b"kernel.cu", 0, None, None), "creation")
        if nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) != 0:
            size = ctypes.c_size_t()
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(log.value.decode())
        size = ctypes.c_size_t()
        check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "compilation")
        image = ctypes.create_string_buffer(size.value)
        check(nvrtc.nvrtcGetCUBIN(program, image), "compilation")
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        self.driver = ctypes.CDLL("libcuda.so.1")
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        torch.cuda.current_stream(device)
        check(self.driver.cuModuleLoadData(ctypes.byref(module), image), "loading")
        check(self.driver.cuModuleGetFunction(ctypes.byref(function), module, self.name.encode()), "loading")
        if self.shared:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(self.driver.cuFuncSetAttribute(function, 8, self.shared), "shared memory")
        self.functions[device] = function
        return function

    def __call__(self, device, *values):
        function = self.functions.get(device) or self.compile(device)
        for slot, value in zip(self.slots, values):
            slot.value = value
        code = self.driver.cuLaunchKernel(function, self.grid, 1, 1, *self.block, 1, self.shared,
                                          ctypes.c_void_p(torch._C._cuda_getCurrentRawStream(device)), self.arguments, None)
        if code != 0:
            raise RuntimeError(f"the launch of {self.name} failed with code {code}")


moments_kernel = CudaKernel("moments_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
struct Moments { float count, mean, square; }; // square: the sum of squares of what differs from the mean

__device__ __forceinline__ void join(Moments& a, const Moments& b)
{
    const float count = a.count + b.count, delta = b.mean - a.mean, part = b.count / fmaxf(count, 1.0f);
    a.mean += delta * part;
    a.square += b.square + delta * delta * a.count * part;
    a.count = count;
}

__device__ Moments over_block(Moments m, float* shared)
{
    for (int step = 16; step > 0; step >>= 1) {
        Moments other;
        other.count = __shfl_xor_sync(0xffffffffu, m.count, step);
        other.mean = __shfl_xor_sync(0xffffffffu, m.mean, step);
        other.square = __shfl_xor_sync(0xffffffffu, m.square, step);
        join(m, other);
    }
    float* mine = shared + threadIdx.x / 32 * 3;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        mine[0] = m.count;
        mine[1] = m.mean;
        mine[2] = m.square;
    }
    __syncthreads();
    m = {shared[0], shared[1], shared[2]};
    for (int i = 1; i < 8; ++i)
        join(m, {shared[i * 3], shared[i * 3 + 1], shared[i * 3 + 2]});
    return m;
}

#define BLOCKS 33u

extern "C" __global__ void __launch_bounds__(256) moments_kernel(const float* __restrict__ a0, float* parts, unsigned* tickets, float* centre, float* scale)
{
    __shared__ float shared[24];
    const unsigned set = blockIdx.x / BLOCKS;
    Moments mine = {0.0f, 0.0f, 0.0f};
    unsigned t = blockIdx.x % BLOCKS * 256 + threadIdx.x;
    for (; t + 25344u < 1048576u; t += 33792u) {
        float v[16];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const unsigned i = 1048575u - (t + u * 8448u);
            const unsigned k = set * (unsigned)4194304u + i * 4;
            const float4 f = *reinterpret_cast<const float4*>(a0 + k);
            v[u * 4] = f.x, v[u * 4 + 1] = f.y, v[u * 4 + 2] = f.z, v[u * 4 + 3] = f.w;
        }
        float sum = 0.0f, square = 0.0f;
        #pragma unroll
        for (int u = 0; u < 16; ++u)
            sum += v[u];
        const float mean = sum * 0.0625f;
        #pragma unroll
        for (int u = 0; u < 16; ++u)
            square += (v[u] - mean) * (v[u] - mean);
        join(mine, {16.0f, mean, square});
    }
    for (; t < 1048576u; t += 8448u) {
        float v[4];
        #pragma unroll
        for (int u = 0; u < 1; ++u) {
            const unsigned i = 1048575u - (t + u * 8448u);
            const unsigned k = set * (unsigned)4194304u + i * 4;
            const float4 f = *reinterpret_cast<const float4*>(a0 + k);
            v[u * 4] = f.x, v[u * 4 + 1] = f.y, v[u * 4 + 2] = f.z, v[u * 4 + 3] = f.w;
        }
        float sum = 0.0f, square = 0.0f;
        #pragma unroll
        for (int u = 0; u < 4; ++u)
            sum += v[u];
        const float mean = sum * 0.25f;
        #pragma unroll
        for (int u = 0; u < 4; ++u)
            square += (v[u] - mean) * (v[u] - mean);
        join(mine, {4.0f, mean, square});
    }
    Moments all = over_block(mine, shared);
    __shared__ unsigned last;
    if (threadIdx.x == 0) {
        volatile float* to = parts + blockIdx.x * 3;
        to[0] = all.count;
        to[1] = all.mean;
        to[2] = all.square;
        __threadfence();
        last = atomicAdd(tickets + set, 1u) == BLOCKS - 1 ? 1u : 0u;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    mine = {0.0f, 0.0f, 0.0f};
    for (unsigned i = threadIdx.x; i < BLOCKS; i += 256) {
        const volatile float* from = parts + (set * BLOCKS + i) * 3;
        join(mine, {from[0], from[1], from[2]});
    }
    all = over_block(mine, shared);
    if (threadIdx.x == 0)
        tickets[set] = 0;
    const float inverse = 1.0f / sqrtf(all.square / 4194304.0f + 1e-05f);
    for (unsigned i = threadIdx.x; i < 1u; i += 256) {
        const unsigned to = set * 1u + i;
        centre[to] = all.mean;
        scale[to] = inverse;
    }
}
""", 528, (256, 1), 5, 0)
moments_work = {}  # of each device: parts of sets, and how many of a set are there


@torch.compiler.disable
def moments(a0):
    """Mean and 1 / deviation of 16 sets of 4194304 elements, by 33 blocks each."""
    if not a0.is_contiguous() or a0.data_ptr() % 16:
        a0 = a0.clone(memory_format=torch.contiguous_format)
    parts, tickets = moments_work.get(a0.device) or moments_work.setdefault(a0.device, (torch.empty(1584, device=a0.device), torch.zeros(16, dtype=torch.int32, device=a0.device)))
    centre, scale = torch.empty((16, 1, 1, 1), device=a0.device), torch.empty((16, 1, 1, 1), device=a0.device)
    moments_kernel(a0.get_device(), a0.data_ptr(), parts.data_ptr(), tickets.data_ptr(), centre.data_ptr(), scale.data_ptr())
    return centre, scale


fused_3_kernel = CudaKernel("fused_3_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
extern "C" __global__ void __launch_bounds__(256) fused_3_kernel(const float* __restrict__ a0, const float* __restrict__ a1, const float* __restrict__ a2, const float* __restrict__ a3, const float* __restrict__ a4, float* __restrict__ out0)
{
    const unsigned q = blockIdx.x * (unsigned)256 + threadIdx.x;
    if (q >= 16777216u)
        return;
    const unsigned k = q * 4;
    const float4 f0 = *reinterpret_cast<const float4*>(a0 + k);
    const float v0[4] = {f0.x, f0.y, f0.z, f0.w};
    const float v1[4] = {a1[k / 4194304], a1[k / 4194304], a1[k / 4194304], a1[k / 4194304]};
    const float v2[4] = {a2[k / 4194304], a2[k / 4194304], a2[k / 4194304], a2[k / 4194304]};
    const float4 f3 = *reinterpret_cast<const float4*>(a3 + k % 4194304);
    const float v3[4] = {f3.x, f3.y, f3.z, f3.w};
    const float4 f4 = *reinterpret_cast<const float4*>(a4 + k % 4194304);
    const float v4[4] = {f4.x, f4.y, f4.z, f4.w};
    float w0[4];
    #pragma unroll
    for (int l = 0; l < 4; ++l) {
        const float e0 = v0[l];
        const float e1 = v1[l];
        const float e2 = e0 - e1;
        const float e3 = v2[l];
        const float e4 = e2 * e3;
        const float e5 = v3[l];
        const float e6 = e4 * e5;
        const float e7 = v4[l];
        const float e8 = e6 + e7;
        w0[l] = e8;
    }
    *reinterpret_cast<float4*>(out0 + k) = make_float4(w0[0], w0[1], w0[2], w0[3]);
}
""", 65536, (256, 1), 6, 0)


@torch.compiler.disable
def fused_3(a0, a1, a2, a3, a4):
    """sub, mul, mul, add over [16, 64, 256, 256] in one kernel."""
    if not a0.is_contiguous() or a0.data_ptr() % 16:
        a0 = a0.clone(memory_format=torch.contiguous_format)
    if not a1.is_contiguous() or a1.data_ptr() % 16:
        a1 = a1.clone(memory_format=torch.contiguous_format)
    if not a2.is_contiguous() or a2.data_ptr() % 16:
        a2 = a2.clone(memory_format=torch.contiguous_format)
    if not a3.is_contiguous() or a3.data_ptr() % 16:
        a3 = a3.clone(memory_format=torch.contiguous_format)
    if not a4.is_contiguous() or a4.data_ptr() % 16:
        a4 = a4.clone(memory_format=torch.contiguous_format)
    out0 = torch.empty((16, 64, 256, 256), device=a0.device)
    fused_3_kernel(a0.get_device(), a0.data_ptr(), a1.data_ptr(), a2.data_ptr(), a3.data_ptr(), a4.data_ptr(), out0.data_ptr())
    return out0


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def original(self, x):
        return self.ln(x)

    def compute(self, x):
        if not (USE_SPLIT_REDUCTION or USE_FUSE_ELEMENTWISE) or x.shape != (16, 64, 256, 256):
            return self.original(x)
        if USE_SPLIT_REDUCTION:
            statistic_6, statistic_7 = moments(x)
            if USE_FUSE_ELEMENTWISE:
                fused_out_3 = fused_3(x, statistic_6, statistic_7, self.ln.weight, self.ln.bias)
                return fused_out_3
            else:
                sub_8 = x - statistic_6
                mul_9 = sub_8 * statistic_7
                mul_10 = mul_9 * self.ln.weight
                add_3 = mul_10 + self.ln.bias
                return add_3
        else:
            native_layer_norm_3, native_layer_norm_4, native_layer_norm_5 = torch.ops.aten.native_layer_norm.default(x, [64, 256, 256], self.ln.weight, self.ln.bias, 1e-05)
            return native_layer_norm_3

    def forward(self, x):
        return self.compute(x)
