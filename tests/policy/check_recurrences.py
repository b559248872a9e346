# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the kernels of persistent_recurrence on the host, against torch's LSTM and GRU.

Usage: check_recurrences.py PROPOSE_TOOL. The graphs are written here as a GPU gives them, where a recurrent layer is one
operator of cuDNN. Compiles the kernels with NVRTC too, where it is installed.
"""
import ctypes
import itertools
import sys
import tempfile

import torch

import check_cuda_kernels
import check_generated
import cudaonhost

MODULE = '''"""A recurrent layer."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.layer = nn.{kind}({features}, {hidden}, {layers}, batch_first={batch_first}, bidirectional={both})

    def forward(self, x, {states}):
        out, {last} = self.layer(x, {given})
        return torch.tanh(out), {results}


def get_inputs():
    return [torch.randn({shape}){more}]


def get_init_inputs():
    return []
'''


def module_text(kind, features, hidden, layers, batch_first, batch, steps, both=False):
    lstm = kind == "LSTM"
    state = f", torch.randn({layers * (2 if both else 1)}, {batch}, {hidden})"
    return MODULE.format(both=both, kind=kind, features=features, hidden=hidden, layers=layers, batch_first=batch_first,
                         states="h0, c0" if lstm else "h0", given="(h0, c0)" if lstm else "h0", last="(h, c)" if lstm else "h",
                         results="h, c" if lstm else "h", more=state * (2 if lstm else 1),
                         shape=f"{batch}, {steps}, {features}" if batch_first else f"{steps}, {batch}, {features}")


def graph_on_a_gpu(module, layers, batch_first, hidden, both=False):
    """What tracing the module on a GPU gives."""
    model, inputs = check_generated.build(module.Model, module), module.get_inputs()
    lstm = isinstance(model.layer, torch.nn.LSTM)
    values, ids = [], itertools.count()

    def add(tensor, kind="intermediate", name=""):
        values.append({"id": next(ids), "shape": list(tensor.shape), "stride": list(tensor.stride()),
                       "dtype": str(tensor.dtype).removeprefix("torch."), "kind": kind, "name": name})
        return values[-1]["id"]

    given = [add(tensor, "input", name) for tensor, name in zip(inputs, ["x", "h0", "c0"])]
    weights = [add(weight, "parameter", name) for name, weight in model.named_parameters()]
    pieces = add(torch.empty(0))
    out, state = model.layer(inputs[0], tuple(inputs[1:]) if lstm else inputs[1])
    made = [add(out), *(add(s) for s in (state if lstm else (state, torch.empty(0)))), add(torch.empty(0, dtype=torch.uint8))]
    result = add(out)

    def value(number):
        return {"value": number}

    def node(op, args, outputs, time_ns=0.0, kwargs=None):
        return {"id": 0, "op": op, "module": "", "args": args, "kwargs": kwargs or {}, "outputs": outputs, "time_ns": time_ns}

    nodes = [node("aten.empty.memory_format", [[0]], [pieces], kwargs={"device": {"literal": "torch.device('cuda:0')"}}),
             node("aten.set_.source_Storage", [value(pieces), {"literal": "self.layer.weight_ih_l0.untyped_storage()"}], [pieces]),
             node("aten._cudnn_rnn.default", [value(given[0]), [value(w) for w in weights], 4, value(pieces), value(given[1]),
                                              value(given[2]) if lstm else None, 2 if lstm else 3, hidden, 0, layers, batch_first, 0.0,
                                              True, both, [], None], [*made, pieces], 1e9),
             node("aten.tanh.default", [value(made[0])], [result], 1e3)]
    for number, each in enumerate(nodes):
        each["id"] = number
    return {"values": values, "nodes": nodes, "inputs": given, "outputs": [result, *made[1:3 if lstm else 2]], "output_kind": "tuple",
            "forward_parameters": ["x", "h0", "c0"][:len(given)], "modules": [], "total_ns": 1e9, "parameter_bytes": 0, "truncated": False,
            "randomised": False, "device": "cuda:0"}


class Device:
    multi_processor_count, major = 132, 9


def main():
    tool = sys.argv[1]
    try:
        library = ctypes.CDLL("libnvrtc.so." + (torch.version.cuda or "13").split(".")[0])
    except OSError:
        library = None
    torch.set_grad_enabled(False)
    torch.cuda.get_device_properties = lambda device: Device
    with tempfile.TemporaryDirectory() as folder:
        for case in (("LSTM", 5, 9, 3, True, 3, 6), ("GRU", 140, 10, 2, False, 2, 4), ("LSTM", 8, 12, 2, False, 2, 4), ("GRU", 3, 7, 3, True, 2, 5),
                     ("LSTM", 5, 20, 2, True, 5, 4, True), ("GRU", 4, 70, 3, False, 3, 3, True)):
            kind, features, hidden, layers, batch_first, batch, steps, *both = case
            name = "_".join(map(str, case))
            text = module_text(*case)
            module = check_generated.load(text, "reference_" + name, folder)
            proposals = check_generated.propose(tool, text, graph_on_a_gpu(module, layers, batch_first, hidden, *both))["proposals"]
            alone = [p for p in proposals if p["techniques"] == ["persistent_recurrence"]]
            assert len(alone) == 1, [p["techniques"] for p in proposals]
            candidate = check_generated.load(alone[0]["source"], "candidate_" + name, folder)
            kernel = next(v for v in vars(candidate).values() if type(v).__name__ == "CudaKernel")
            if library:
                check_cuda_kernels.compile_kernel(library, kernel.text)
            # That form is for warps whose threads come together, and here each may have waited for results of its own.
            assert "bar.sync" not in kernel.text and "bar.arrive" not in kernel.text
            assert cudaonhost.on_host(candidate) == 1
            check_cuda_kernels.run_on_host(module, candidate, 1e-4)
            Device.multi_processor_count, Device.major = 1, 8  # too few for the kernel of one direction, too old for the other one
            check_cuda_kernels.run_on_host(module, candidate, 1e-4)
            Device.multi_processor_count, Device.major = 132, 9
            off = check_generated.load(alone[0]["source"].replace("USE_PERSISTENT_RECURRENCE = True", "USE_PERSISTENT_RECURRENCE = False"),
                                       "off_" + name, folder)
            check_cuda_kernels.run_on_host(module, off, 1e-4)
            print(name, "is right")


if __name__ == "__main__":
    main()
