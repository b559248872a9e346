# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-dimensional convolution, group normalisation, times a learnt scale, max pooling, limited to a range."""
import torch
import torch.nn as nn

# Each switch turns one optimisation on or off; with all of them off this is the original computation.
USE_DIRECT_CONVOLUTION = True  # compute convolutions, and what follows them at each place, in kernels of their own
USE_WINDOW_KERNELS = True  # compute pools and depthwise convolutions, with what stands around them, in kernels of their own
USE_FUSE_ELEMENTWISE = True  # run neighbouring element-wise operators and reductions as one generated kernel
USE_CUDA_GRAPH = True  # capture the launches of a call once and replay them with one

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
num_groups = 8
scale_shape = (out_channels, 1, 1)
maxpool_kernel_size = 2
clamp_min = 0.0
clamp_max = 1.0


import ctypes


class CudaKernel:
    """One CUDA kernel, compiled by NVRTC for the device of its first call."""

    def __init__(self, name, text, grid, threads, pointers, scalars, shared=0):
        self.name, self.text, self.grid, self.threads, self.shared = name, text, grid, threads, shared
        self.types = "K" * pointers + "d" * scalars
        self.functions = {}
        # torch's launcher of compiled kernels is a function in C: from Python a launch takes a third of the time.
        launcher = getattr(torch._C, "_StaticCudaLauncher", None)
        self.launch = launcher._launch_kernel if launcher else self.launch_by_driver

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
        driver = ctypes.CDLL("libcuda.so.1")
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        torch.cuda.current_stream(device)
        check(driver.cuModuleLoadData(ctypes.byref(module), image), "loading")
        check(driver.cuModuleGetFunction(ctypes.byref(function), module, self.name.encode()), "loading")
        if self.shared:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(driver.cuFuncSetAttribute(function, 8, self.shared), "shared memory")
        self.functions[device] = function.value
        return function.value

    def __call__(self, device, *values):
        self.launch(self.functions.get(device) or self.compile(device), self.grid, 1, 1, self.threads // 32, self.shared,
                    self.types, values, torch._C._cuda_getCurrentRawStream(device))

    def launch_by_driver(self, function, x, y, z, warps, shared, types, values, stream):
        slots = [(ctypes.c_uint64 if kind == "K" else ctypes.c_double)(value) for kind, value in zip(types, values)]
        arguments = (ctypes.c_void_p * len(slots))(*map(ctypes.addressof, slots))
        code = ctypes.CDLL("libcuda.so.1").cuLaunchKernel(ctypes.c_void_p(function), x, y, z, warps * 32, 1, 1, shared,
                                                          ctypes.c_void_p(stream), arguments, None)
        if code != 0:
            raise RuntimeError(f"the launch of {self.name} failed with code {code}")


def packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, columns, exact, window=None):
    """The weight of a convolution as tensor cores take it: by phase, chunk of channels, tap and channel."""
    taps = weight.unflatten(0, (groups, -1))  # groups, results, inputs, and the axes of places
    if transposed:
        taps = taps.transpose(1, 2)
    phases = [taps]
    for axis in range(3, taps.dim()):
        step, before, apart = stride[axis - 3], padding[axis - 3], dilation[axis - 3]
        # Results whose places have one remainder by the stride need the same taps.
        needed = [[tap for tap in range(taps.shape[axis]) if not transposed or (phase + before - tap * apart) % step == 0]
                  for phase in range(max(step if transposed else 1, window[axis - 3] if window else 1))]
        phases = [phase[(slice(None),) * axis + (part,)] for phase in phases for part in needed]
    tiles = []
    for phase in phases:
        phase = phase.flatten(3)
        results, inputs, count = phase.shape[1:]
        parts, all_results = -(-inputs // chunk), -(-results // (8 * columns)) * 8 * columns
        phase = torch.nn.functional.pad(phase, (0, 0, 0, parts * chunk - inputs, 0, all_results - results))
        phase = phase.reshape(groups, all_results, parts, chunk, count).permute(0, 2, 4, 3, 1)
        phase = phase.reshape(groups, parts, count * chunk, all_results)
        steps = -(-count * chunk // 8)
        phase = torch.nn.functional.pad(phase, (0, 0, 0, steps * 8 - count * chunk))
        # Lane 4 * result + product % 4 of a warp holds two of the eight products of one of eight results.
        phase = phase.reshape(groups, parts, steps, 2, 4, all_results // 8, 8).permute(0, 1, 2, 5, 6, 4, 3)
        tiles.append(phase.flatten(1, 2))
    taps = torch.cat(tiles, 1)
    high = nearest_tf32(taps)
    return (torch.cat((high, nearest_tf32(taps - high)), -1) if exact else high).contiguous()


def nearest_tf32(values):
    """The nearest numbers with ten bits of mantissa."""
    return (values.contiguous().view(torch.int32) + 0x1000 & ~0x1FFF).view(torch.float32)


def prepared(model, make, *weights):
    """model.make(*weights), kept until a weight changes; then computed again into the same memory."""
    if torch.compiler.is_compiling():
        return getattr(model, make)(*weights)
    kept = model.__dict__.setdefault("_prepared", {})
    state = [(w.data_ptr(), w._version) for w in weights]
    entry = kept.get(make)
    if entry is not None and entry[0] == state:
        return entry[1]
    with torch.no_grad():
        values = getattr(model, make)(*weights)
        if entry is not None and all(a.shape == b.shape and a.device == b.device for a, b in zip(entry[1], values)):
            for old, new in zip(entry[1], values):
                old.copy_(new)
            values = entry[1]
    kept[make] = (state, values, weights)
    return values


def refresh(model):
    """Brings everything that was prepared from weights up to date."""
    for make, (state, _, weights) in model.__dict__.get("_prepared", {}).items():
        if [(w.data_ptr(), w._version) for w in weights] != state:
            prepared(model, make, *weights)


fused_kernel = CudaKernel("fused_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
struct Sum { static __device__ float of(float a, float b) { return a + b; } };
struct Prod { static __device__ float of(float a, float b) { return a * b; } };
struct Max { static __device__ float of(float a, float b) { return (a > b || a != a) ? a : b; } };
struct Min { static __device__ float of(float a, float b) { return (a < b || a != a) ? a : b; } };

template<class Op, int threads> __device__ float over_row(float v, float* shared)
{
    for (int step = (threads < 32 ? threads : 32) / 2; step > 0; step >>= 1)
        v = Op::of(v, __shfl_xor_sync(0xffffffffu, v, step));
    if (threads <= 32)
        return v;
    const int warp = threadIdx.x >> 5;
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        shared[warp] = v;
    __syncthreads();
    v = shared[0];
    for (int i = 1; i < threads / 32; ++i)
        v = Op::of(v, shared[i]);
    return v;
}

template<class Op, int wide, int threads> __device__ float over_column(float v, float* shared)
{
    if (threads == wide)
        return v;
    __syncthreads();
    shared[threadIdx.x] = v;
    __syncthreads();
    v = shared[threadIdx.x % wide];
    for (int i = 1; i < threads / wide; ++i)
        v = Op::of(v, shared[i * wide + threadIdx.x % wide]);
    return v;
}

extern "C" __global__ void __launch_bounds__(256) fused_kernel(const float* a0, const float* a1, const float* a2, const float* a3, float* out0)
{
    __shared__ float shared[32];
    const unsigned x = threadIdx.x;
    const unsigned o = blockIdx.x;
    if (o >= 1024u)
        return;
    const bool inside = 256 + x < 450u;
    float c0[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c0[m * 4 + l] = a0[(o / 8) * 14400 + (o % 8) * 1800 + (r / 900) * 900 + r % 900];
        }
    }
    float t1 = 0.0f;
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        if (e >= 4 && !inside)
            break;
        const float e0 = c0[e];
        t1 = Sum::of(t1, e0);
    }
    const float e1 = over_row<Sum, 256>(t1, shared);
    const float e3 = e1 * 0.000555555556f;
    float t6 = 0.0f;
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        if (e >= 4 && !inside)
            break;
        const float e0 = c0[e];
        const float e4 = e0 - e3;
        const float e5 = e4 * e4;
        t6 = Sum::of(t6, e5);
    }
    const float e6 = over_row<Sum, 256>(t6, shared);
    const float e8 = e6 * 0.000555555556f;
    const float e10 = e8 + 1e-05f;
    const float e11 = 1.0f / sqrtf(e10);
    float c1[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c1[m * 4 + l] = a1[(o % 8) * 2 + r / 900];
        }
    }
    float c2[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c2[m * 4 + l] = a2[(o % 8) * 2 + r / 900];
        }
    }
    float c3[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c3[m * 4 + l] = a3[(o % 8) * 2 + r / 900];
        }
    }
    float w0[8];
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        if (e >= 4 && !inside)
            break;
        const float e0 = c0[e];
        const float e4 = e0 - e3;
        const float e12 = e4 * e11;
        const float e13 = c1[e];
        const float e14 = e12 * e13;
        const float e15 = c2[e];
        const float e16 = e14 + e15;
        const float e17 = c3[e];
        const float e18 = e16 * e17;
        w0[e] = e18;
    }
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        *reinterpret_cast<float4*>(out0 + o * 1800 + (m * 256 + x) * 4) = make_float4(w0[m * 4], w0[m * 4 + 1], w0[m * 4 + 2], w0[m * 4 + 3]);
    }
}
""", 1024, 256, 5, 0)


def fused(a0, a1, a2, a3):
    """native_group_norm, mul over [128, 8, 2, 30, 30] in one kernel; its result takes the memory of a0, which nothing else reads."""
    if not a0.is_contiguous() or a0.data_ptr() % 16:
        a0 = a0.clone(memory_format=torch.contiguous_format)
    if not a1.is_contiguous() or a1.data_ptr() % 16:
        a1 = a1.clone(memory_format=torch.contiguous_format)
    if not a2.is_contiguous() or a2.data_ptr() % 16:
        a2 = a2.clone(memory_format=torch.contiguous_format)
    if not a3.is_contiguous() or a3.data_ptr() % 16:
        a3 = a3.clone(memory_format=torch.contiguous_format)
    out0 = a0
    fused_kernel(a0.get_device(), a0.data_ptr(), a1.data_ptr(), a2.data_ptr(), a3.data_ptr(), out0.data_ptr())
    return out0


windows_kernel = CudaKernel("windows_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
struct Sum { static __device__ float of(float a, float b) { return a + b; } };
struct Prod { static __device__ float of(float a, float b) { return a * b; } };
struct Max { static __device__ float of(float a, float b) { return (a > b || a != a) ? a : b; } };
struct Min { static __device__ float of(float a, float b) { return (a < b || a != a) ? a : b; } };

extern "C" __global__ void __launch_bounds__(256) windows_kernel(const float* __restrict__ x, const float* __restrict__ b1, float* __restrict__ out)
{
    const unsigned q = blockIdx.x * (unsigned)256 + threadIdx.x;
    if (q >= 460800u)
        return;
    const int w = q % 15u, h = q / 15u % 15u, d = q / 225u % 1u;
    const unsigned image = q / 225u;
    const unsigned from = image / 1u;
    const float* const plane = x + (unsigned long long)from * 900u;
    const int d0 = d * 1 - 0;
    const int h0 = h * 2 - 0;
    const int w0 = w * 2 - 0;
    float total = -INFINITY;
    #pragma unroll
    for (int id = 0; id < 1; ++id) {
        const int d1 = d0 + id * 1;
        #pragma unroll
        for (int ih = 0; ih < 2; ++ih) {
            const int h1 = h0 + ih * 1;
            #pragma unroll
            for (int iw = 0; iw < 2; ++iw) {
                const int w1 = w0 + iw * 1;
                const float v = plane[(d1 * 30 + h1) * 30 + w1];
                const float e0 = v;
                const float e1 = b1[(from * 900u) / 900 % 16];
                const float e2 = e0 * e1;
                total = Max::of(total, e2);
            }
        }
    }
    const float e0 = total;
    const float e3 = e0 < 0.0f ? 0.0f : (e0 > 1.0f ? 1.0f : e0);
    out[q] = e3;
}
""", 1800, 256, 3, 0)


def windows(x, b1):
    """Computes mul, max_pool2d_with_indices, clamp in one kernel."""
    x = x.contiguous()
    b1 = b1.contiguous()
    out = torch.empty((128, 16, 15, 15), device=x.device)
    windows_kernel(x.get_device(), x.data_ptr(), b1.data_ptr(), out.data_ptr())
    return out


fused_1_kernel = CudaKernel("fused_1_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
struct Sum { static __device__ float of(float a, float b) { return a + b; } };
struct Prod { static __device__ float of(float a, float b) { return a * b; } };
struct Max { static __device__ float of(float a, float b) { return (a > b || a != a) ? a : b; } };
struct Min { static __device__ float of(float a, float b) { return (a < b || a != a) ? a : b; } };

template<class Op, int threads> __device__ float over_row(float v, float* shared)
{
    for (int step = (threads < 32 ? threads : 32) / 2; step > 0; step >>= 1)
        v = Op::of(v, __shfl_xor_sync(0xffffffffu, v, step));
    if (threads <= 32)
        return v;
    const int warp = threadIdx.x >> 5;
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        shared[warp] = v;
    __syncthreads();
    v = shared[0];
    for (int i = 1; i < threads / 32; ++i)
        v = Op::of(v, shared[i]);
    return v;
}

template<class Op, int wide, int threads> __device__ float over_column(float v, float* shared)
{
    if (threads == wide)
        return v;
    __syncthreads();
    shared[threadIdx.x] = v;
    __syncthreads();
    v = shared[threadIdx.x % wide];
    for (int i = 1; i < threads / wide; ++i)
        v = Op::of(v, shared[i * wide + threadIdx.x % wide]);
    return v;
}

extern "C" __global__ void __launch_bounds__(256) fused_1_kernel(const float* a0, const float* a1, const float* a2, float* out0)
{
    __shared__ float shared[32];
    const unsigned x = threadIdx.x;
    const unsigned o = blockIdx.x;
    if (o >= 1024u)
        return;
    const bool inside = 256 + x < 450u;
    float c0[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c0[m * 4 + l] = a0[(o / 8) * 14400 + (o % 8) * 1800 + (r / 900) * 900 + r % 900];
        }
    }
    float t1 = 0.0f;
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        if (e >= 4 && !inside)
            break;
        const float e0 = c0[e];
        t1 = Sum::of(t1, e0);
    }
    const float e1 = over_row<Sum, 256>(t1, shared);
    const float e3 = e1 * 0.000555555556f;
    float t6 = 0.0f;
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        if (e >= 4 && !inside)
            break;
        const float e0 = c0[e];
        const float e4 = e0 - e3;
        const float e5 = e4 * e4;
        t6 = Sum::of(t6, e5);
    }
    const float e6 = over_row<Sum, 256>(t6, shared);
    const float e8 = e6 * 0.000555555556f;
    const float e10 = e8 + 1e-05f;
    const float e11 = 1.0f / sqrtf(e10);
    float c1[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c1[m * 4 + l] = a1[(o % 8) * 2 + r / 900];
        }
    }
    float c2[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        for (int l = 0; l < 4; ++l) {
            const unsigned r = (m * 256 + x) * 4 + l;
            c2[m * 4 + l] = a2[(o % 8) * 2 + r / 900];
        }
    }
    float w0[8];
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        if (e >= 4 && !inside)
            break;
        const float e0 = c0[e];
        const float e4 = e0 - e3;
        const float e12 = e4 * e11;
        const float e13 = c1[e];
        const float e14 = e12 * e13;
        const float e15 = c2[e];
        const float e16 = e14 + e15;
        w0[e] = e16;
    }
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (m >= 1 && !inside)
            break;
        *reinterpret_cast<float4*>(out0 + o * 1800 + (m * 256 + x) * 4) = make_float4(w0[m * 4], w0[m * 4 + 1], w0[m * 4 + 2], w0[m * 4 + 3]);
    }
}
""", 1024, 256, 4, 0)


def fused_1(a0, a1, a2):
    """native_group_norm over [128, 8, 2, 30, 30] in one kernel; its result takes the memory of a0, which nothing else reads."""
    if not a0.is_contiguous() or a0.data_ptr() % 16:
        a0 = a0.clone(memory_format=torch.contiguous_format)
    if not a1.is_contiguous() or a1.data_ptr() % 16:
        a1 = a1.clone(memory_format=torch.contiguous_format)
    if not a2.is_contiguous() or a2.data_ptr() % 16:
        a2 = a2.clone(memory_format=torch.contiguous_format)
    out0 = a0
    fused_1_kernel(a0.get_device(), a0.data_ptr(), a1.data_ptr(), a2.data_ptr(), out0.data_ptr())
    return out0


convolved_6_kernel = CudaKernel("convolved_6_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
// places of the input and of the result
constexpr int in_d = 1, in_h = 32, in_w = 32, out_d = 1, out_h = 30, out_w = 30;
// phases, how many of them are stored, and places of the input between two results of a phase
constexpr int phases_d = 1, phases_h = 1, phases_w = 1, stored_d = 1, stored_h = 1, stored_w = 1, stride_d = 1, stride_h = 1, stride_w = 1;
// a block's tile of places, for each phase, and the part of the input that it needs
constexpr int tile_d = 1, tile_h = 16, tile_w = 32, tiles_d = 1, tiles_h = 2, tiles_w = 1, patch_d = 1, patch_h = 18, patch_w = 34, low_d = 0, low_h = 0, low_w = 0, step_d = 0, step_h = 1, step_w = 1;
// channels of a group; those of the input that lie in shared memory at a time
constexpr int groups = 1, inputs = 3, results = 16, chunk = 3, chunks = 1, plane = 612, zeros = 1;
// tiles of 16 places and of 8 channels of a warp; warps of a block; steps of eight products
constexpr int rows = 4, columns = 2, all_columns = 2, blocks_n = 1, warps_m = 8, warps_n = 1, threads = 256, steps = 4, cut = 0, longest = 5, exact = 1;
constexpr unsigned tiles = 256;
// how many taps each phase needs, and the place of the input that the first one reads
__device__ constexpr int taps_d[] = {1}, first_d[] = {0};
__device__ constexpr int taps_h[] = {3}, first_h[] = {0};
__device__ constexpr int taps_w[] = {3}, first_w[] = {0};
typedef uint4 Factor;
typedef unsigned Index;

// Adds the product of 16 x 8 and 8 x 8 numbers, which the tensor cores round to TF32 by leaving out digits.
static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(256) convolved_6_kernel(const float* __restrict__ x, const float* __restrict__ taps, const float* __restrict__ bias, float* __restrict__ out)
{
    constexpr int run = rows * 16, pitch = run * stored_w + 4, words = (run * stored_w + 31) / 32;
    extern __shared__ float memory[];
    float* const patch = memory + warps_m * warps_n * 8 * pitch;
    __shared__ int where[steps * 8]; // the place in the patch that each product of a sum reads
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane >> 2, column = lane & 3;
    const int warp_m = warp % warps_m, warp_n = warp / warps_m;
    float* const stage = memory + warp * 8 * pitch; // results of eight channels on their way to memory

    int base = 0;
    for (int pd = 0; pd < phases_d; ++pd)
        for (int ph = 0; ph < phases_h; ++ph)
            for (int pw = 0; pw < phases_w; ++pw) {
                const int nh = taps_h[ph], nw = taps_w[pw], terms = taps_d[pd] * nh * nw * chunk;
                const int padded = (terms + 7) / 8 * 8;
                for (int k = threadIdx.x; k < padded; k += threads) {
                    const int c = k % chunk, tap = k / chunk;
                    const int d = first_d[pd] + tap / (nw * nh) * step_d - low_d;
                    const int h = first_h[ph] + tap / nw % nh * step_h - low_h;
                    const int w = first_w[pw] + tap % nw * step_w - low_w;
                    where[base + k] = k < terms ? c * plane + (d * patch_h + h) * patch_w + w : chunk * plane;
                }
                base += padded;
            }
    int place[rows][2];
    #pragma unroll
    for (int i = 0; i < rows * 2; ++i) {
        const int m = (warp_m * rows * 2 + i) * 8;
        place[i / 2][i % 2] = (m / (tile_w * tile_h) * stride_d * patch_h + m / tile_w % tile_h * stride_h) * patch_w +
                              (m % tile_w + row) * stride_w;
    }

    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned rest = tile;
        const int block_n = rest % blocks_n;
        rest /= blocks_n;
        const int tw = rest % tiles_w;
        rest /= tiles_w;
        const int th = rest % tiles_h;
        rest /= tiles_h;
        const int td = rest % tiles_d;
        rest /= tiles_d;
        const int group = rest % groups, image = rest / groups;
        const int first_column = (block_n * warps_n + warp_n) * columns;
        const int from_d = td * tile_d * stride_d + low_d, from_h = th * tile_h * stride_h + low_h;
        const int from_w = tw * tile_w * stride_w + low_w;

        int step = 0; // where the products of a phase begin
        for (int pd = 0; pd < phases_d; ++pd)
            for (int ph = 0; ph < phases_h; ++ph) {
                const int taps_before = taps_d[pd] * taps_h[ph];
                float sums[phases_w][rows][columns][4];
                #pragma unroll
                for (int i = 0; i < phases_w * rows * columns * 4; ++i)
                    (&sums[0][0][0][0])[i] = 0;
                for (int part = 0; part < chunks; ++part) {
                    if (chunks > 1 || (pd == 0 && ph == 0)) {
                        __syncthreads();
                        const float* const from =
                            x + (size_t)((image * groups + group) * inputs + part * chunk) * (in_d * in_h * in_w);
                        for (int i = threadIdx.x; i < (chunk + zeros) * patch_d * patch_h * patch_w; i += threads) {
                            const int w = i % patch_w, h = i / patch_w % patch_h, d = i / (patch_w * patch_h) % patch_d;
                            const int c = i / (patch_w * patch_h * patch_d);
                            const int iw = from_w + w, ih = from_h + h, id = from_d + d;
                            const bool inside = (unsigned)iw < in_w && (unsigned)ih < in_h && (unsigned)id < in_d &&
                                                c < chunk && part * chunk + c < inputs;
                            float v = 0.0f;
                            if (inside)
                                v = from[(size_t)(c * in_d + id) * (in_h * in_w) + ih * in_w + iw];
                            if (!exact && v == v) // to the nearest with the ten bits of TF32's mantissa
                                v = __uint_as_float((__float_as_uint(v) + 0x1000u) & 0xffffe000u);
                            patch[c * plane + (d * patch_h + h) * patch_w + w] = v;
                        }
                        __syncthreads();
                    }
                    int at = step;
                    #pragma unroll
                    for (int pw = 0; pw < phases_w; ++pw) {
                        const int count = (taps_before * taps_w[pw] * chunk + 7) / 8;
                        const int* const reads = where + at * 8 + column;
                        const Factor* const factors = reinterpret_cast<const Factor*>(taps) + lane +
                            ((size_t)(group * steps * chunks + at * chunks + part * count) * all_columns + first_column) * 32;
                        for (int begin = 0; begin < count; begin += longest) {
                            float some[rows][columns][4];
                            auto& into = cut ? some : sums[pw];
                            if (cut)
                                #pragma unroll
                                for (int i = 0; i < rows * columns * 4; ++i)
                                    (&some[0][0][0])[i] = 0;
                            const int end = min(count, begin + longest);
                            #pragma unroll 2
                            for (int k = begin; k < end; ++k) {
                                const int left = reads[k * 8], right = reads[k * 8 + 4];
                                Factor b[columns];
                                #pragma unroll
                                for (int n = 0; n < columns; ++n)
                                    b[n] = factors[(k * all_columns + n) * 32];
                                #pragma unroll
                                for (int m = 0; m < rows; ++m) {
                                    const float v[4] = {patch[place[m][0] + left], patch[place[m][1] + left],
                                                        patch[place[m][0] + right], patch[place[m][1] + right]};
                                    unsigned a[4];
                                    unsigned low[4]; // what TF32 leaves out
                                    #pragma unroll
                                    for (int i = 0; i < 4; ++i) {
                                        a[i] = __float_as_uint(v[i]) & 0xffffe000u;
                                        low[i] = __float_as_uint(v[i] - __uint_as_float(a[i]));
                                    }
                                    #pragma unroll
                                    for (int n = 0; n < columns; ++n) {
                                        multiply(into[m][n], low, b[n].x, b[n].y);
                                        multiply(into[m][n], a, b[n].z, b[n].w);
                                        multiply(into[m][n], a, b[n].x, b[n].y);
                                    }
                                }
                            }
                            if (cut)
                                #pragma unroll
                                for (int i = 0; i < rows * columns * 4; ++i)
                                    (&sums[pw][0][0][0])[i] += (&some[0][0][0])[i];
                        }
                        at += count;
                    }
                }
                #pragma unroll
                for (int pw = 0; pw < phases_w; ++pw)
                    step += (taps_before * taps_w[pw] * chunk + 7) / 8;

                // By way of shared memory, so that the threads of a warp write neighbours.
                int to[words];
                #pragma unroll
                for (int j = 0; j < words; ++j) {
                    const int p = j * 32 + lane, m = warp_m * run + p / stored_w;
                    const int od = (td * tile_d + m / (tile_w * tile_h)) * stored_d + pd;
                    const int oh = (th * tile_h + m / tile_w % tile_h) * stored_h + ph;
                    const int ow = (tw * tile_w + m % tile_w) * stored_w + p % stored_w;
                    const bool inside = p < run * stored_w && od < out_d && oh < out_h && ow < out_w;
                    to[j] = inside ? (od * out_h + oh) * out_w + ow : -1;
                }
                auto& done = sums;
                #pragma unroll
                for (int n = 0; n < columns; ++n) {
                    __syncwarp();
                    #pragma unroll
                    for (int i = 0; i < rows * 4; ++i) {
                        const int m = i / 4, r = i % 4;
                        float* const slot = stage + (column * 2 + r % 2) * pitch + (m * 16 + r / 2 * 8 + row) * stored_w;
                        if (stored_w == 2)
                            *reinterpret_cast<float2*>(slot) = make_float2(done[0][m][n][r], done[stored_w - 1][m][n][r]);
                        else
                            #pragma unroll
                            for (int pw = 0; pw < stored_w; ++pw)
                                slot[pw] = done[pw][m][n][r];
                    }
                    __syncwarp();
                    #pragma unroll
                    for (int e = 0; e < 8; ++e) {
                        const int channel = (first_column + n) * 8 + e;
                        if (channel >= results)
                            break;
                        const int c = group * results + channel;
                        const Index begin = (Index)(image * groups * results + c) * (out_d * out_h * out_w);
                        const float shift = bias[c];
                        #pragma unroll
                        for (int j = 0; j < words; ++j) {
                            if (to[j] < 0)
                                continue;
                            const Index k = begin + to[j];
                            const float y = stage[e * pitch + j * 32 + lane] + shift;
                            out[k] = y;
                        }
                    }
                }
            }
    }
}
""", 256, 256, 4, 0, shared=27200)


def convolved_6(x, taps, bias):
    """Computes a convolution of [128, 3, 32, 32] with a [16, 3, 3, 3] weight in one kernel."""
    x = x.contiguous()
    bias = bias.contiguous()
    out = torch.empty((128, 16, 30, 30), device=x.device)
    convolved_6_kernel(x.get_device(), x.data_ptr(), taps.data_ptr(), bias.data_ptr(), out.data_ptr())
    return out


class CapturedCall:
    """One call as a CUDA graph, with its inputs where they lie now."""

    def __init__(self, model, function, inputs):
        # Warming up runs the module for real, so it gets copies, and what it counts in its buffers is put back.
        buffers = [(b, b.clone()) for b in model.buffers()]
        reserved = torch.cuda.memory_reserved()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                function(*(v.clone() if isinstance(v, torch.Tensor) else v for v in inputs))
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function(*inputs)
        for buffer, value in buffers:
            buffer.copy_(value)
        self.bytes = torch.cuda.memory_reserved() - reserved
        self.parts = (self.result,) if isinstance(self.result, torch.Tensor) else self.result
        self.storages = [part.untyped_storage()._cdata for part in self.parts]
        self.unheld = self.holders()

    def holders(self):
        return [torch._C._storage_Use_Count(storage) for storage in self.storages]

    def replay(self, hand):
        self.graph.replay()
        if isinstance(self.result, torch.Tensor):
            return hand(self.result)
        return type(self.result)(map(hand, self.parts))


class GraphRunner:
    """Replays calls as CUDA graphs: one graph for each address of the inputs, and two where results are kept. At most
    eight are made so, of 1 GiB in all; inputs at further addresses are copied to those of one graph for their shapes,
    or the call is made without a graph where that would take as much again."""

    def __init__(self):
        self.calls = {}

    def start(self, model):
        self.weights = list(model.parameters())
        self.places = [weight.data_ptr() for weight in self.weights]
        self.calls, self.copying, self.room = {}, {}, 1 << 30

    def __call__(self, model, function, *inputs):
        if not self.calls or list(map(torch.Tensor.data_ptr, self.weights)) != self.places:
            self.start(model)
        refresh(model)
        key = tuple((v.data_ptr(), v.shape, v.stride(), v.dtype) if isinstance(v, torch.Tensor) else v for v in inputs)
        calls = self.calls.get(key, ())
        for call in calls:
            if call.holders() == call.unheld:
                return call.replay(torch.Tensor.detach)
        if len(calls) == 2 or self.room <= 0:
            large = any(call.bytes >= 1 << 30 for call in calls)
            return function(*inputs) if large else self.copied(model, function, inputs)
        call = CapturedCall(model, function, inputs)
        self.calls[key] = (*calls, call)
        self.room -= max(call.bytes, 1 << 27)
        return call.replay(torch.Tensor.detach)

    def copied(self, model, function, inputs):
        key = tuple((v.shape, v.stride(), v.dtype) if isinstance(v, torch.Tensor) else v for v in inputs)
        if key not in self.copying:
            kept = [v.clone() if isinstance(v, torch.Tensor) else v for v in inputs]
            self.copying[key] = kept, CapturedCall(model, function, kept)
        kept, call = self.copying[key]
        for old, new in zip(kept, inputs):
            if isinstance(new, torch.Tensor):
                old.copy_(new)
        return call.replay(torch.Tensor.clone)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, num_groups, scale_shape, maxpool_kernel_size,
                 clamp_min, clamp_max):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)
        self.scale = nn.Parameter(torch.ones(scale_shape))
        self.maxpool = nn.MaxPool2d(maxpool_kernel_size)
        self.clamp_min = clamp_min
        self.clamp_max = clamp_max
        self._graphs = GraphRunner()

    def original(self, x):
        x = self.group_norm(self.conv(x))
        x = self.maxpool(x * self.scale)
        return torch.clamp(x, self.clamp_min, self.clamp_max)

    def taps_6(self, weight):
        return (packed_taps(weight, 1, False, (1, 1), (0, 0), (1, 1), chunk=3, columns=2, exact=True),)

    def compute(self, x):
        if not (USE_DIRECT_CONVOLUTION or USE_WINDOW_KERNELS or USE_FUSE_ELEMENTWISE) or x.shape != (128, 3, 32, 32):
            return self.original(x)
        if USE_DIRECT_CONVOLUTION:
            taps_14 = prepared(self, 'taps_6', self.conv.weight)[0]
            convolution_6 = convolved_6(x, taps_14, self.conv.bias)
            if USE_WINDOW_KERNELS:
                if USE_FUSE_ELEMENTWISE:
                    fused_out_7 = fused_1(convolution_6, self.group_norm.weight, self.group_norm.bias)
                    windowed_13 = windows(fused_out_7, self.scale)
                else:
                    group_norm_7 = torch.group_norm(convolution_6, 8, self.group_norm.weight, self.group_norm.bias, 1e-05)
                    windowed_13 = windows(group_norm_7, self.scale)
                return windowed_13
            else:
                if USE_FUSE_ELEMENTWISE:
                    fused_out_10 = fused(convolution_6, self.group_norm.weight, self.group_norm.bias, self.scale)
                    max_pool2d_with_indices_11, max_pool2d_with_indices_12 = torch.ops.aten.max_pool2d_with_indices.default(fused_out_10, [2, 2], [2, 2])
                else:
                    group_norm_7 = torch.group_norm(convolution_6, 8, self.group_norm.weight, self.group_norm.bias, 1e-05)
                    mul_10 = group_norm_7 * self.scale
                    max_pool2d_with_indices_11, max_pool2d_with_indices_12 = torch.ops.aten.max_pool2d_with_indices.default(mul_10, [2, 2], [2, 2])
                clamp_13 = torch.clamp(max_pool2d_with_indices_11, 0.0, 1.0)
                return clamp_13
        else:
            convolution_6 = torch.convolution(x, self.conv.weight, self.conv.bias, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
            if USE_WINDOW_KERNELS:
                if USE_FUSE_ELEMENTWISE:
                    fused_out_7 = fused_1(convolution_6, self.group_norm.weight, self.group_norm.bias)
                    windowed_13 = windows(fused_out_7, self.scale)
                else:
                    group_norm_7 = torch.group_norm(convolution_6, 8, self.group_norm.weight, self.group_norm.bias, 1e-05)
                    windowed_13 = windows(group_norm_7, self.scale)
                return windowed_13
            else:
                fused_out_10 = fused(convolution_6, self.group_norm.weight, self.group_norm.bias, self.scale)
                max_pool2d_with_indices_11, max_pool2d_with_indices_12 = torch.ops.aten.max_pool2d_with_indices.default(fused_out_10, [2, 2], [2, 2])
                clamp_13 = torch.clamp(max_pool2d_with_indices_11, 0.0, 1.0)
                return clamp_13

    def forward(self, x):
        if USE_CUDA_GRAPH and x.is_cuda:
            return self._graphs(self, self.run, x)
        return self.run(x)

    def run(self, x):
        return self.compute(x)
