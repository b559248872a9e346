# SPDX-License-Identifier: GPL-3.0-or-later
"""Three-dimensional transposed convolution in four channel groups, with strides and padding; input and kernel differ in
every direction."""
import torch
import torch.nn as nn

# Each switch turns one optimisation on or off; with all of them off this is the original computation.
USE_DIRECT_CONVOLUTION = True  # compute convolutions, and what follows them at each place, in kernels of their own

batch_size = 16
in_channels = 32
out_channels = 64
depth = 16
height = 32
width = 64
kernel_size = (3, 5, 7)
stride = (2, 2, 2)
padding = (1, 2, 3)
output_padding = (1, 1, 1)
groups = 4


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
    for make, entry in list(model.__dict__.get("_prepared", {}).items()):
        prepared(model, make, *entry[2])


convolved_2_kernel = CudaKernel("convolved_2_kernel", r"""
#define INFINITY __int_as_float(0x7f800000)
// places of the input and of the result
constexpr int in_d = 16, in_h = 32, in_w = 64, out_d = 32, out_h = 64, out_w = 128;
// phases, how many of them are stored, and places of the input between two results of a phase
constexpr int phases_d = 2, phases_h = 2, phases_w = 2, stored_d = 2, stored_h = 2, stored_w = 2, stride_d = 1, stride_h = 1, stride_w = 1;
// a block's tile of places, for each phase, and the part of the input that it needs
constexpr int tile_d = 4, tile_h = 8, tile_w = 16, tiles_d = 4, tiles_h = 4, tiles_w = 4, patch_d = 5, patch_h = 10, patch_w = 19, low_d = 0, low_h = -1, low_w = -1, step_d = -1, step_h = -1, step_w = -1;
// channels of a group; those of the input that lie in shared memory at a time
constexpr int groups = 4, inputs = 8, results = 16, chunk = 8, chunks = 1, plane = 968, zeros = 0;
// tiles of 16 places and of 8 channels of a warp; warps of a block; steps of eight products
constexpr int rows = 4, columns = 2, all_columns = 2, blocks_n = 1, warps_m = 8, warps_n = 1, threads = 256, steps = 105, cut = 1, longest = 4, exact = 1;
constexpr unsigned tiles = 4096;
// how many taps each phase needs, and the place of the input that the first one reads
__device__ constexpr int taps_d[] = {1, 2}, first_d[] = {0, 1};
__device__ constexpr int taps_h[] = {3, 2}, first_h[] = {1, 1};
__device__ constexpr int taps_w[] = {3, 4}, first_w[] = {1, 2};
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

extern "C" __global__ void __launch_bounds__(256) convolved_2_kernel(const float* __restrict__ x, const float* __restrict__ taps, float* __restrict__ out)
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
                        #pragma unroll
                        for (int j = 0; j < words; ++j) {
                            if (to[j] < 0)
                                continue;
                            const Index k = begin + to[j];
                            const float y = stage[e * pitch + j * 32 + lane];
                            out[k] = y;
                        }
                    }
                }
            }
    }
}
""", 1056, (256, 1), 3, 0, shared=64768)


@torch.compiler.disable
def convolved_2(x, taps):
    """Computes a transposed convolution of [16, 32, 16, 32, 64] with a [32, 16, 3, 5, 7] weight in one kernel."""
    x = x.contiguous()
    out = torch.empty((16, 64, 32, 64, 128), device=x.device)
    convolved_2_kernel(x.get_device(), x.data_ptr(), taps.data_ptr(), out.data_ptr())
    return out


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=(1, 1, 1), padding=(0, 0, 0),
                 output_padding=(0, 0, 0), groups=1, bias=False):
        super().__init__()
        self.conv_transpose3d = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, stride=stride,
                                                   padding=padding, output_padding=output_padding, groups=groups,
                                                   bias=bias)

    def original(self, x):
        return self.conv_transpose3d(x)

    def taps_2(self, weight):
        return (packed_taps(weight, 4, True, (2, 2, 2), (1, 2, 3), (1, 1, 1), chunk=8, columns=2, exact=True),)

    def compute(self, x):
        if not (USE_DIRECT_CONVOLUTION) or x.shape != (16, 32, 16, 32, 64):
            return self.original(x)
        taps_3 = prepared(self, 'taps_2', self.conv_transpose3d.weight)[0]
        convolution_2 = convolved_2(x, taps_3)
        return convolution_2

    def forward(self, x):
        return self.compute(x)
