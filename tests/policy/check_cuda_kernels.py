# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles every CUDA kernel that is generated for the references, with NVRTC for sm_90, and runs those of proposals
that need nothing else of a GPU on the host, against the reference; needs no GPU.

Usage: check_cuda_kernels.py PROPOSE_TOOL TRACE_FOLDER [NAME...]. Status 77 where NVRTC is not installed.
"""
import ctypes
import json
import re
import sys
import tempfile

import torch

import check_generated
import cudaonhost
import references

# Techniques whose proposals run on the host once their kernels do.
HOST_TECHNIQUES = {"aligned_products", "arg_reduction", "channels_last", "convolve_twice", "direct_convolution", "fuse_elementwise", "fused_attention", "pool_into_convolution", "scaled_halves", "scan_kernels", "split_reduction", "window_kernels"}


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


def bmm_on_host(left, right, out_dtype=None, bmm=torch.bmm):
    """The framework multiplies halves with a result in float32 on GPUs alone."""
    return bmm(left.to(out_dtype or left.dtype), right.to(out_dtype or right.dtype))


def check_exactness(reference_module, candidate):
    """Products of halves must be as exact as those of float32 are, row by row."""
    reference, model = (check_generated.build(cls, reference_module) for cls in (reference_module.Model, candidate.ModelNew))
    inputs = reference_module.get_inputs()
    exact = check_generated.tensors(reference.double()(*(x.double() for x in inputs)))
    for right, own, theirs in zip(exact, check_generated.tensors(model(*inputs)), check_generated.tensors(reference.float()(*inputs)), strict=True):
        error, plain = ((x.double() - right).norm(dim=-1) / right.norm(dim=-1).clamp_min(1e-300) for x in (own, theirs))
        assert error.max() < max(3 * plain.max(), 3e-7), f"an error of {error.max():.2g}, where float32 has {plain.max():.2g}"


def run_on_host(reference_module, candidate, tolerance):
    reference, model = (check_generated.build(cls, reference_module) for cls in (reference_module.Model, candidate.ModelNew))
    for inputs in check_generated.families(reference_module):
        check_generated.compare(reference, model, inputs, tolerance)
    with torch.no_grad():
        for parameter in (*reference.parameters(), *model.parameters()):
            parameter.mul_(1.5).add_(0.125)
    check_generated.compare(reference, model, reference_module.get_inputs(), tolerance)
    for (key, a), (_, b) in zip(reference.state_dict().items(), model.state_dict().items(), strict=True):
        assert torch.allclose(a, b, rtol=tolerance, atol=tolerance / 10), f"state {key} differs after the calls"


def proposals_for(tool, source, graph, bytes_per_second=0, slow_products=False):
    """For a GPU on which operators that have kernels of ours take a second, which makes the library propose these."""
    slow = ("aten.convolution.default", "aten.cum", "aten.arg", "aten.max.", "aten.min.")
    if slow_products:
        slow += ("aten.mm.", "aten.addmm.", "aten.bmm.", "aten.linear.")
    graph["device"] = "cuda:0"
    for node in graph["nodes"]:
        if node["op"].startswith(slow) or "pool" in node["op"]:
            node["time_ns"] = 1e9
    for precision in ("kernelbench", "ieee"):
        for proposal in check_generated.propose(tool, source, graph, precision=precision, bytes_per_second=bytes_per_second)["proposals"]:
            yield precision, proposal


def settings(name, text):
    """Settings of its switches to try: all on, and of two techniques of which one opens the other each may be off."""
    tried = {"USE_" + technique.upper() for technique in references.TECHNIQUES[name]} if name in references.OPENED else set()
    for setting in check_generated.settings(text):
        if all(on or switch in tried for switch, on in setting.items()):
            yield setting


def main():
    tool, trace_folder, *names = sys.argv[1:]
    tracer = check_generated.tracer_of(trace_folder)
    library = nvrtc()
    torch.set_grad_enabled(False)
    torch.bmm = bmm_on_host
    compiled, ran, proposed = set(), set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for name, source in references.SOURCES.items():
            if names and name not in names:
                continue
            module = check_generated.load(source, "reference_" + name, folder)
            graph = tracer.trace(check_generated.build(module.Model, module), module.get_inputs(), "cpu", 4000)
            found, joined = set(), False
            for index, (precision, proposal) in enumerate(proposals_for(tool, source, graph, 1e10 if name in references.SLOW_MEMORY else 0, name in references.SLOW_PRODUCTS)):
                candidate = check_generated.load(proposal["source"], f"cuda_{name}_{index}", folder)
                kernels = [v for v in vars(candidate).values() if type(v).__name__ == "CudaKernel"]
                found |= set(proposal["techniques"])
                for kernel in kernels:
                    unnamed = kernel.text.replace(kernel.name, "kernel")  # beside other techniques it may have another number
                    if unnamed not in compiled:
                        compile_kernel(library, kernel.text)
                        compiled.add(unnamed)
                text = proposal["source"]
                assert not re.search(r"^ +\w+ = (?!torch\.)\w+\(.*self\.number", text, re.M), f"{name}: a kernel reads the host's memory\n{text}"
                joined = joined or bool(re.search(r"prepared\(self, 'taps_\d+', pooled_", text))
                techniques = set(proposal["techniques"])
                own = kernels or "aligned_products" in techniques
                if not own or text in ran or not techniques <= HOST_TECHNIQUES:
                    continue
                if name in references.SLOW_MEMORY and not references.TECHNIQUES[name] <= techniques:
                    continue
                rounds = "direct_convolution" in proposal["techniques"] and "exact=False" in text
                try:
                    for number, setting in enumerate(settings(name, text)):
                        candidate = check_generated.load(check_generated.with_setting(text, setting), f"cuda_{name}_{index}_{number}", folder)
                        cudaonhost.on_host(candidate)
                        # Another proposal may have set it when it was loaded. Attention has a kernel for either.
                        for tf32 in (False, True) if "fused_attention" in techniques else (False,):
                            torch.backends.cuda.matmul.allow_tf32 = tf32
                            run_on_host(module, candidate, 1e-2 if rounds or tf32 else 1e-4)
                        if name in references.SLOW_PRODUCTS:
                            check_exactness(module, candidate)
                except AssertionError as error:
                    print(text)
                    raise AssertionError(f"{name}: {proposal['techniques']} with {setting} at {precision}: {error}") from error
                ran.add(text)
            expected = references.TECHNIQUES[name]
            if name not in references.OPENED:
                expected = expected & references.GPU_ONLY
            assert expected <= found, f"{name}: {expected - found} not proposed"
            assert joined or name not in references.JOINED, f"{name}: no kernel takes the joined weight"
            proposed |= found
    print(f"{len(compiled)} kernels compile; {len(ran)} modules are right on the host; techniques {sorted(proposed)}")
    assert names or len(compiled) >= 20 and len(ran) >= 20, "fewer kernels were generated than the references ask for"


if __name__ == "__main__":
    main()
