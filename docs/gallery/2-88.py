# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, group normalisation, swish, times a learnt weight of each feature, then swish again."""
import torch
import torch.nn as nn

# Each switch turns one optimisation on or off; with all of them off this is the original computation.
USE_FUSE_ELEMENTWISE = True  # run neighbouring element-wise operators and reductions as one generated kernel
USE_TF32 = True  # declared lower precision: products and convolutions may round their factors to TF32
USE_CUDA_GRAPH = True  # capture the launches of a call once and replay them with one
if USE_TF32:
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True

batch_size = 128
in_features = 512
out_features = 1024
num_groups = 16
multiply_weight_shape = (out_features,)


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
    const unsigned x = threadIdx.x % 8u, y = threadIdx.x / 8u;
    const unsigned o = blockIdx.x * (unsigned)32 + y;
    if (o >= 2048u)
        return;
    float c0[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        const unsigned r = (m * 8 + x) * 4;
        const float4 f = *reinterpret_cast<const float4*>(a0 + (o / 16) * 1024 + (o % 16) * 64 + r);
        c0[m * 4] = f.x, c0[m * 4 + 1] = f.y, c0[m * 4 + 2] = f.z, c0[m * 4 + 3] = f.w;
    }
    float t1 = 0.0f;
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        const float e0 = c0[e];
        t1 = Sum::of(t1, e0);
    }
    const float e1 = over_row<Sum, 8>(t1, shared);
    const float e3 = e1 * 0.015625f;
    float t6 = 0.0f;
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        const float e0 = c0[e];
        const float e4 = e0 - e3;
        const float e5 = e4 * e4;
        t6 = Sum::of(t6, e5);
    }
    const float e6 = over_row<Sum, 8>(t6, shared);
    const float e8 = e6 * 0.015625f;
    const float e10 = e8 + 1e-05f;
    const float e11 = 1.0f / sqrtf(e10);
    float c1[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        const unsigned r = (m * 8 + x) * 4;
        const float4 f = *reinterpret_cast<const float4*>(a1 + (o % 16) * 64 + r);
        c1[m * 4] = f.x, c1[m * 4 + 1] = f.y, c1[m * 4 + 2] = f.z, c1[m * 4 + 3] = f.w;
    }
    float c2[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        const unsigned r = (m * 8 + x) * 4;
        const float4 f = *reinterpret_cast<const float4*>(a2 + (o % 16) * 64 + r);
        c2[m * 4] = f.x, c2[m * 4 + 1] = f.y, c2[m * 4 + 2] = f.z, c2[m * 4 + 3] = f.w;
    }
    float c3[8];
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        const unsigned r = (m * 8 + x) * 4;
        const float4 f = *reinterpret_cast<const float4*>(a3 + (o % 16) * 64 + r);
        c3[m * 4] = f.x, c3[m * 4 + 1] = f.y, c3[m * 4 + 2] = f.z, c3[m * 4 + 3] = f.w;
    }
    float w0[8];
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
        const float e0 = c0[e];
        const float e4 = e0 - e3;
        const float e12 = e4 * e11;
        const float e13 = c1[e];
        const float e14 = e12 * e13;
        const float e15 = c2[e];
        const float e16 = e14 + e15;
        const float e17 = 1.0f / (1.0f + expf(-e16));
        const float e18 = e16 * e17;
        const float e19 = c3[e];
        const float e20 = e18 * e19;
        const float e21 = 1.0f / (1.0f + expf(-e20));
        const float e22 = e20 * e21;
        w0[e] = e22;
    }
    #pragma unroll
    for (int m = 0; m < 2; ++m) {
        *reinterpret_cast<float4*>(out0 + o * 64 + (m * 8 + x) * 4) = make_float4(w0[m * 4], w0[m * 4 + 1], w0[m * 4 + 2], w0[m * 4 + 3]);
    }
}
""", 64, 256, 5, 0)


def fused(a0, a1, a2, a3):
    """native_group_norm, sigmoid, mul, mul, sigmoid, mul over [128, 16, 64] in one kernel; its result takes the memory of a0, which nothing else reads."""
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
    def __init__(self, in_features, out_features, num_groups, multiply_weight_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)
        self.multiply_weight = nn.Parameter(torch.randn(multiply_weight_shape))
        self._graphs = GraphRunner()

    def original(self, x):
        x = self.group_norm(self.gemm(x))
        x = x * torch.sigmoid(x)
        x = x * self.multiply_weight
        return x * torch.sigmoid(x)

    def compute(self, x):
        if not (USE_FUSE_ELEMENTWISE) or x.shape != (128, 512):
            return self.original(x)
        linear_7 = torch.nn.functional.linear(x, self.gemm.weight, self.gemm.bias)
        fused_out_15 = fused(linear_7, self.group_norm.weight, self.group_norm.bias, self.multiply_weight)
        return fused_out_15

    def forward(self, x):
        if USE_CUDA_GRAPH and x.is_cuda:
            return self._graphs(self, self.run, x)
        return self.run(x)

    def run(self, x):
        return self.compute(x)
