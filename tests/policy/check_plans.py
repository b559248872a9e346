# SPDX-License-Identifier: GPL-3.0-or-later
"""The first plan that cudal1-plans lists is the one whose kernel the library proposes, and what is said of it is what the kernel is launched with.
All plans of a convolution of which sums over runs of tiles are stored are right on the host, also where a run ends with empty tiles.

Usage: check_plans.py PROPOSE_TOOL TRACE_FOLDER PLANS_TOOL
"""
import json
import re
import subprocess
import sys
import tempfile
import types

import torch

import check_cuda_kernels
import check_generated
import cudaonhost
import references


def proposed(tool, tracer, name, folder):
    """The reference, its traced graph, and what the library proposes with direct_convolution alone."""
    module = check_generated.load(references.SOURCES[name], "plans_" + name, folder)
    graph = tracer.trace(check_generated.build(module.Model, module), module.get_inputs(), "cpu", 4000)
    proposal = next(p for precision, p in check_cuda_kernels.proposals_for(tool, references.SOURCES[name], graph)
                    if precision == "kernelbench" and p["techniques"] == ["direct_convolution"])["source"]
    return module, graph, proposal


def listed(plans_tool, name, graph, most):
    request = json.dumps({"source": references.SOURCES[name], "graph": graph})
    return json.loads(subprocess.run([plans_tool, str(most)], input=request, capture_output=True, text=True, check=True).stdout)


def constant(text, name):
    return int(re.search(rf"\b{name} = (\d+)", text)[1])


def check_sums(tool, tracer, plans_tool, name, folder):
    module, graph, proposal = proposed(tool, tracer, name, folder)
    candidate = check_generated.load(proposal, "sums_" + name, folder)
    model, inputs = check_generated.build(module.Model, module), module.get_inputs()
    wanted, kinds = model(*inputs), set()
    for plan in listed(plans_tool, name, graph, 14)[0]["plans"]:
        text = plan["text"]
        runs, run = constant(text, "runs"), constant(text, "run_of_tiles")
        tiles = constant(text, "tiles_d") * constant(text, "tiles_h") * constant(text, "tiles_w")
        kinds |= {kind for kind, here in (("several tiles", run > 1), ("empty tiles", run * runs > tiles)) if here}
        taps = candidate.packed_taps(model.conv.weight, 1, False, (1, 1), (0, 0), (1, 1), chunk=plan["chunk"],
                                     channels=16 * plan["channel_tiles"] * plan["warps"][1], exact=True)
        parts = torch.full((wanted.shape[1], wanted.shape[0], runs), torch.nan)
        kernel = types.SimpleNamespace(text=text, name="convolution", types="PPPP", grid=plan["blocks"], threads=plan["threads"], shared=plan["shared"])
        cudaonhost.HostKernel(kernel)(0, *(value.data_ptr() for value in (inputs[0], taps, model.conv.bias, parts)))
        places = (inputs[0].shape[2] - 1) * (inputs[0].shape[3] - 1)
        assert torch.allclose(parts.sum(2).t() / places, wanted, rtol=1e-4, atol=1e-5), f"{name}: {plan['tile']} in runs of {run}"
    assert kinds == {"several tiles", "empty tiles"}, f"{name}: {kinds}"


def main():
    tool, trace_folder, plans_tool = sys.argv[1:]
    tracer = check_generated.tracer_of(trace_folder)
    torch.set_grad_enabled(False)
    for name in ("direct_images", "direct_pool"):
        with tempfile.TemporaryDirectory() as folder:
            _, graph, proposal = proposed(tool, tracer, name, folder)
        sites = listed(plans_tool, name, graph, 5)
        assert len(sites) == 1 and 2 <= len(sites[0]["plans"]) <= 5, f"{name}: {len(sites)} convolutions"
        times = [plan["model_us"] for plan in sites[0]["plans"]]
        assert times == sorted(times), f"{name}: {times}"
        first = sites[0]["plans"][0]
        kernel = re.search(r'CudaKernel\("(convolved_\w+)", r"""\n(.*?)""", (\d+), (\d+), \d+, 0, shared=(\d+)\)', proposal, re.S)
        assert kernel, f"{name}: no kernel is proposed"
        assert first["text"].replace(" convolution(", f" {kernel[1]}(") == kernel[2], f"{name}: another kernel is proposed"
        assert (first["blocks"], first["threads"], first["shared"]) == tuple(map(int, kernel.groups()[2:])), f"{name}: {first}"
    with tempfile.TemporaryDirectory() as folder:
        check_sums(tool, tracer, plans_tool, "direct_sums_of_runs", folder)
    print("plans are as proposed, and sums over runs of tiles are right")


if __name__ == "__main__":
    main()
