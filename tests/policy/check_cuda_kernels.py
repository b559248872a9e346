# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles every CUDA kernel that is generated for the references, with NVRTC for sm_90; needs no GPU.

Usage: check_cuda_kernels.py PROPOSE_TOOL TRACE_FOLDER. Status 77 where NVRTC is not installed.
"""
import ctypes
import importlib.util
import json
import os
import sys
import tempfile

import torch

import check_generated
import references


def nvrtc():
    try:
        return ctypes.CDLL("libnvrtc.so." + (torch.version.cuda or "13").split(".")[0])
    except OSError as error:
        print("skipped:", error)
        sys.exit(77)


def compile_kernel(library, text):
    program = ctypes.c_void_p()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None) == 0
    options = [b"--gpu-architecture=sm_90"]
    if library.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(*options)) != 0:
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        raise AssertionError(log.value.decode() + text)
    library.nvrtcDestroyProgram(ctypes.byref(program))


def main():
    tool, trace_folder = sys.argv[1:3]
    spec = importlib.util.spec_from_file_location("cudal1_trace", os.path.join(trace_folder, "trace.py"))
    tracer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tracer)
    library = nvrtc()
    compiled, fused = set(), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, source in references.SOURCES.items():
            module = check_generated.load(source, "reference_" + name, folder)
            graph = tracer.trace(check_generated.build(module.Model, module), module.get_inputs(), "cpu", 4000)
            graph["device"] = "cuda:0"
            for index, proposal in enumerate(check_generated.propose(tool, source, graph)["proposals"]):
                candidate = check_generated.load(proposal["source"], f"cuda_{name}_{index}", folder)
                kernels = [v for v in vars(candidate).values() if type(v).__name__ == "CudaKernel"]
                fused += "fuse_elementwise" in proposal["techniques"]
                for kernel in kernels:
                    if kernel.text not in compiled:
                        compile_kernel(library, kernel.text)
                        compiled.add(kernel.text)
    print(f"{len(compiled)} kernels of {fused} proposals compile")
    assert len(compiled) >= 20, "fewer kernels were generated than the references ask for"


if __name__ == "__main__":
    main()
