# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean over cubic windows of a batch of volumes; the zeros of the padding count."""
import torch
import torch.nn as nn

# Each switch turns one optimisation on or off; with all of them off this is the original computation.
USE_WINDOW_KERNELS = True  # compute pools and depthwise convolutions, with what stands around them, in kernels of their own

batch_size = 16
channels = 32
depth = 64
height = 64
width = 64
kernel_size = 3
stride = 2
padding = 1


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


windows_kernel = CudaKernel("windows_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
struct Sum { static __device__ float of(float a, float b) { return a + b; } };
struct Prod { static __device__ float of(float a, float b) { return a * b; } };
struct Max { static __device__ float of(float a, float b) { return (a > b || a != a) ? a : b; } };
struct Min { static __device__ float of(float a, float b) { return (a < b || a != a) ? a : b; } };

extern "C" __global__ void __launch_bounds__(256) windows_kernel(const float* __restrict__ x, float* __restrict__ out)
{
    const unsigned q = blockIdx.x * (unsigned)256 + threadIdx.x;
    if (q >= 16777216u)
        return;
    const int w = q % 32u, h = q / 32u % 32u, d = q / 1024u % 32u;
    const unsigned image = q / 32768u;
    const unsigned from = image / 1u;
    const float* const plane = x + (unsigned long long)from * 262144u;
    const int d0 = d * 2 - 1;
    const int h0 = h * 2 - 1;
    const int w0 = w * 2 - 1;
    float total = 0.0f;
    #pragma unroll
    for (int id = 0; id < 3; ++id) {
        const int d1 = d0 + id * 1;
        #pragma unroll
        for (int ih = 0; ih < 3; ++ih) {
            const int h1 = h0 + ih * 1;
            #pragma unroll
            for (int iw = 0; iw < 3; ++iw) {
                const int w1 = w0 + iw * 1;
                const bool inside = d1 >= 0 && d1 < 64 && h1 >= 0 && h1 < 64 && w1 >= 0 && w1 < 64;
                const float v = inside ? plane[(d1 * 64 + h1) * 64 + w1] : 0.0f;
                total += inside ? v : 0.0f;
            }
        }
    }
    total *= 0.037037037f;
    out[q] = total;
}
""", 65536, (256, 1), 2, 0)


@torch.compiler.disable
def windows(x):
    """Computes avg_pool3d in one kernel."""
    x = x.contiguous()
    out = torch.empty((16, 32, 32, 32, 32), device=x.device)
    windows_kernel(x.get_device(), x.data_ptr(), out.data_ptr())
    return out


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.avg_pool = nn.AvgPool3d(kernel_size, stride=stride, padding=padding)

    def original(self, x):
        return self.avg_pool(x)

    def compute(self, x):
        if not (USE_WINDOW_KERNELS) or x.shape != (16, 32, 64, 64, 64):
            return self.original(x)
        windowed_1 = windows(x)
        return windowed_1

    def forward(self, x):
        return self.compute(x)
