# SPDX-License-Identifier: GPL-3.0-or-later
"""The first plan that cudal1-plans lists is the one whose kernel the library proposes, and what is said of it is what the kernel is launched with.

Usage: check_plans.py PROPOSE_TOOL TRACE_FOLDER PLANS_TOOL
"""
import json
import re
import subprocess
import sys
import tempfile

import torch

import check_cuda_kernels
import check_generated
import references


def main():
    tool, trace_folder, plans_tool = sys.argv[1:]
    tracer = check_generated.tracer_of(trace_folder)
    torch.set_grad_enabled(False)
    for name in ("direct_images", "direct_pool"):
        source = references.SOURCES[name]
        with tempfile.TemporaryDirectory() as folder:
            module = check_generated.load(source, "plans_" + name, folder)
            graph = tracer.trace(check_generated.build(module.Model, module), module.get_inputs(), "cpu", 4000)
        proposal = next(p for precision, p in check_cuda_kernels.proposals_for(tool, source, graph)
                        if precision == "kernelbench" and p["techniques"] == ["direct_convolution"])["source"]
        listed = subprocess.run([plans_tool, "5"], input=json.dumps({"source": source, "graph": graph}), capture_output=True, text=True, check=True)
        sites = json.loads(listed.stdout)
        assert len(sites) == 1 and 2 <= len(sites[0]["plans"]) <= 5, f"{name}: {len(sites)} convolutions"
        times = [plan["model_us"] for plan in sites[0]["plans"]]
        assert times == sorted(times), f"{name}: {times}"
        first = sites[0]["plans"][0]
        kernel = re.search(r'CudaKernel\("(convolved_\w+)", r"""\n(.*?)""", (\d+), (\d+), \d+, 0, shared=(\d+)\)', proposal, re.S)
        assert kernel, f"{name}: no kernel is proposed"
        assert first["text"].replace(" convolution(", f" {kernel[1]}(") == kernel[2], f"{name}: another kernel is proposed"
        assert (first["blocks"], first["threads"], first["shared"]) == tuple(map(int, kernel.groups()[2:])), f"{name}: {first}"
    print("plans are as proposed")


if __name__ == "__main__":
    main()
