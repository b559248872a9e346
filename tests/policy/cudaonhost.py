# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs generated CUDA kernels on the host, with the compiler's check of addresses where it is preloaded."""
import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile

# What takes the place of each instruction of the kernels, by names that their functions give to operands.
INSTRUCTIONS = {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": "host::multiply(d, a, b0, b1);",
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": "host::multiply(d, a, b0, b1);",
                "ex2.approx.ftz.f32": "out = std::exp2(power);",
                "cp.async.ca.shared.global": "for (int i = 0; i < at_once; ++i) to[i] = bytes ? from[i] : 0.0f;",
                "cp.async.wait_all": "",
                "cvt.rn.f16x2.f32": "word = host::halves(first, second);",
                "st.relaxed.gpu.global.u64": "*to = word;",
                # Where nothing is there yet, somebody else has to run first.
                "ld.relaxed.gpu.global.v2.u64": "{ if (from[0] >> 32 == 0 || from[1] >> 32 == 0) host::wait(); out.word[0] = from[0], out.word[1] = from[1]; }",
                "ld.relaxed.gpu.global.u64": "{ if (from[0] >> 32 == 0) host::wait(); out.word[0] = from[0]; }",
                "mbarrier.init": "host::make(barrier);",
                "mbarrier.arrive.expect_tx": "host::expect(barrier, bytes);",
                ".reg .pred p": "passed = host::isPassed(barrier, parity);",
                ".reg .u32 there, its": "host::give(place, block, value, barrier);",
                "fence.mbarrier_init": "host::meetCluster();",
                "barrier.sync": "host::meet(barrier, count);",
                "barrier.arrive": "host::arrive(barrier, count);",
                ".reg .b16 l, h": "a = host::half(word), b = host::half(word >> 16);"}
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def compiler():
    checked = ["-fsanitize=address"] if "libasan" in os.environ.get("LD_PRELOAD", "") else []
    linker = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # a quarter of the time of the default one
    return ["g++", "-std=c++20", "-w", "-fPIC", "-fvisibility=hidden", "-I", ROOT, *linker, *checked]


@functools.cache
def precompiled():
    """A folder with cudaonhost.h, precompiled, and cudaonhost.o: what is the same for all kernels is compiled once."""
    folder = tempfile.TemporaryDirectory()
    subprocess.run([*compiler(), "-O1", "-x", "c++-header", HERE + "/cudaonhost.h", "-o", folder.name + "/cudaonhost.h.gch"], check=True)
    subprocess.run([*compiler(), "-O2", "-c", HERE + "/cudaonhost.cpp", "-o", folder.name + "/cudaonhost.o"], check=True)
    return folder  # is removed at the end of the program


@functools.cache
def compiled(source):
    """The function that runs a kernel; modules that share a kernel share it."""
    with tempfile.TemporaryDirectory() as folder:
        path, library, shared = os.path.join(folder, "kernel.cpp"), os.path.join(folder, "kernel.so"), precompiled().name
        with open(path, "w") as file:
            file.write(source)
        subprocess.run([*compiler(), "-O1", "-shared", "-I", shared, "-I", HERE, path, shared + "/cudaonhost.o", "-o", library], check=True)
        return ctypes.CDLL(library).run_on_host


class HostKernel:
    """Takes the place of a CudaKernel of a generated module: the same text, run by fibers (cudaonhost.h)."""

    def __init__(self, kernel):
        self.kernel, self.function = kernel, None

    def __call__(self, device, *values):
        kernel = self.kernel
        if self.function is None:
            self.function = compiled(self.source())
        passed = [(ctypes.c_double if kind == "d" else ctypes.c_void_p)(v) for kind, v in zip(kernel.types, values, strict=True)]
        self.function(*passed, kernel.grid, kernel.threads, kernel.shared)

    def source(self):
        kernel = self.kernel
        unnamed = kernel.text.replace(kernel.name, "kernel")  # so that modules share it whatever number it has in them
        text = re.sub(r"extern __shared__ (__align__\(16\) )?float memory\[\];", "float* const memory = host::memory;", unnamed)
        for instruction, function in INSTRUCTIONS.items():
            text = re.sub(rf'\basm(?: volatile)?\("[^;]*?{re.escape(instruction)}.*?\);', function, text, flags=re.S)
        assert "asm(" not in text, "the host knows no other instruction"
        types = [f"{'double' if kind == 'd' else 'host::Pointer'} p{i}" for i, kind in enumerate(kernel.types)]
        waits = any(word in kernel.text for word in ("ld.relaxed.gpu", "barrier.cluster"))  # its blocks do, for one another
        arguments = ", ".join(f"p{i}" for i in range(len(kernel.types)))
        entry = (f'extern "C" [[gnu::visibility("default")]] void run_on_host({", ".join(types)}, unsigned grid, unsigned threads, unsigned shared)\n'
                 f"{{\n    host::run([&] {{ kernel({arguments}); }}, grid, threads, 1, shared, {str(waits).lower()});\n}}\n")
        return '#include "cudaonhost.h"\n' + text + entry


def on_host(module):
    """Lets all kernels of a generated module run on the host; returns their number."""
    names = [name for name, value in vars(module).items() if type(value).__name__ == "CudaKernel"]
    for name in names:
        setattr(module, name, HostKernel(getattr(module, name)))
    return len(names)
