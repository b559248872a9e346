# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls a module once between cudaProfilerStart() and cudaProfilerStop(), for a profiler around this process.

ncuprogram.py TASK.py MODULE.py CLASS PRECISION SEED
"""
import importlib.util
import sys

import torch


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def on_device(value):
    if isinstance(value, torch.Tensor):
        return value.cuda()
    if isinstance(value, (list, tuple)):
        return type(value)(on_device(one) for one in value)
    return value


def main(task_file, module_file, name, precision, seed):
    if precision in ("ieee", "tf32"):
        torch.backends.fp32_precision = precision
    torch.manual_seed(int(seed))
    task = load("cudal1_task", task_file)
    module = task if module_file == task_file else load("cudal1_candidate", module_file)
    model = getattr(module, name)(*task.get_init_inputs()).cuda()
    inputs = on_device(task.get_inputs())
    cache = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
    with torch.no_grad():
        for _ in range(4):  # the first ones compile, choose and capture
            model(*inputs)
            torch.cuda.synchronize()
        cache.zero_()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        model(*inputs)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()


main(*sys.argv[1:])
