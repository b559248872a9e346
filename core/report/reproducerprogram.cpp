// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a reproducer that is the same for all variants.
#include "core/report/reproducerprogram.h"

namespace cudal1::report {

const char* const reproducerProgram = R"py(
import argparse
import importlib.util
import math
import os
import random
import statistics
import sys
import tempfile
import time

import torch


def load(name, source, folder):
    """Imports the text from a file: compilers of kernels want to read their source."""
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def to_device(value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(to_device(one, device) for one in value)
    return value


def clone(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(clone(one) for one in value)
    return value


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in tensors(one)]
    return []


def build(module, class_name, task, seed, device):
    torch.manual_seed(seed)
    return getattr(module, class_name)(*task.get_init_inputs()).to(device)


def call(model, inputs, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        return model(*inputs)


def tolerance(dtype):
    if dtype == torch.float64:
        return 1e-7
    if dtype in (torch.float16, torch.bfloat16):
        return 2e-2
    return 1e-4 if PRECISION == "ieee" else 1e-2


def difference(expected, actual):
    """Why two results differ, or None. Relative to |expected| + its root mean square, as the judge has it."""
    expected, actual = tensors(expected), tensors(actual)
    if len(expected) != len(actual):
        return f"{len(actual)} tensors instead of {len(expected)}"
    for a, b in zip(expected, actual):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{tuple(b.shape)} {b.dtype} instead of {tuple(a.shape)} {a.dtype}"
        if not a.is_floating_point():
            if not torch.equal(a, b.to(a.device)):
                return "values differ"
            continue
        limit, a, b = tolerance(a.dtype), a.double(), b.to(a.device).double()
        finite = a.isfinite()
        if not torch.equal(finite, b.isfinite()) or not torch.equal(a[~finite].nan_to_num(), b[~finite].nan_to_num()):
            return "NaN or infinity at other places"
        a, b = a[finite], b[finite]
        if a.numel() == 0:
            continue
        worst = ((a - b).abs() / (a.abs() + a.square().mean().sqrt()).clamp_min(1e-300)).max().item()
        if not worst <= limit:
            return f"relative error {worst:.3g}, more than {limit:g}"
    return None


class Clock:
    """Wall time of one call, from an idle device to an idle device, with caches flushed before it."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"
        if self.cuda:
            size = 2 * max(getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0), 64 << 20)
            self.flush = torch.empty(size, dtype=torch.uint8, device=device)

    def idle(self):
        if self.cuda:
            torch.cuda.synchronize()

    def once(self, model, inputs, seed):
        inputs = clone(inputs)
        if self.cuda:
            self.flush.zero_()
        torch.manual_seed(seed)
        self.idle()
        begin = time.perf_counter_ns()
        with torch.no_grad():
            result = model(*inputs)
        self.idle()
        end = time.perf_counter_ns()
        del result
        return end - begin

    def round(self, model, inputs, seed):
        times, spent = [], 0
        while not times or (spent < 30e6 and len(times) < 1000):
            times.append(self.once(model, inputs, seed))
            spent += times[-1]
        return statistics.fmean(sorted(times)[:(len(times) + 2) // 3])  # what disturbs a call adds to it


def interval(logs):
    """95 % of a bootstrap of the median."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(logs, k=len(logs))) for _ in range(2000))
    return math.exp(medians[49]), math.exp(medians[1949])


def main():
    parser = argparse.ArgumentParser(description="Checks a variant against its reference and times both.")
    parser.add_argument("--device", default=DEVICE if DEVICE == "cpu" or torch.cuda.is_available() else "cpu",
                        help="cpu, cuda or cuda:N (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=5, help="inputs to compare on (default: %(default)s)")
    parser.add_argument("--pairs", type=int, default=20, help="pairs of rounds to time, 0 for none (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.seeds < 1 or arguments.pairs < 0:
        parser.error("--seeds is 1 or more, --pairs 0 or more")
    device = torch.device(arguments.device)
    if PRECISION != "kernelbench":
        torch.backends.cuda.matmul.allow_tf32 = PRECISION == "tf32"
        torch.backends.cudnn.allow_tf32 = PRECISION == "tf32"
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    print(f"{name}, torch {torch.__version__}, precision {PRECISION}")

    with tempfile.TemporaryDirectory() as folder:
        task = load("reference_task", REFERENCE, folder)
        variant = load("variant", VARIANT, folder)
        for seed in range(1, arguments.seeds + 1):
            torch.manual_seed(seed)
            inputs = to_device(task.get_inputs(), device)
            reference = build(task, "Model", task, seed, device)
            expected, kept = call(reference, clone(inputs), seed), clone(inputs)
            try:
                candidate = build(variant, "ModelNew", task, seed, device)
                why = difference(expected, call(candidate, inputs, seed))
            except Exception as error:
                if device.type != "cpu" or DEVICE == "cpu":
                    raise
                print(f"The variant was made for a GPU and does not run on this CPU: {type(error).__name__}: {error}")
                return 1
            if why is None:
                why = difference(kept, inputs)
                why = why and "the inputs were changed: " + why
            if why is not None:
                print(f"seed {seed}: wrong: {why}")
                return 1
            print(f"seed {seed}: equal")
        if arguments.pairs == 0:
            return 0

        clock, order = Clock(device), random.Random()
        for model in (reference, candidate):  # warm-up
            for _ in range(3):
                clock.once(model, inputs, seed)
        logs, times = [], {"reference": [], "variant": []}
        for _ in range(arguments.pairs):
            sides = [("reference", reference), ("variant", candidate)]
            order.shuffle(sides)
            pair = {side: clock.round(model, inputs, seed) for side, model in sides}
            for side in times:
                times[side].append(pair[side])
            logs.append(math.log(pair["reference"] / pair["variant"]))
        low, high = interval(logs)
        print(f"reference {statistics.median(times['reference']) / 1e6:.4g} ms, variant {statistics.median(times['variant']) / 1e6:.4g} ms a call")
        print(f"speed-up {math.exp(statistics.median(logs)):.3g} ({low:.3g} to {high:.3g}, {arguments.pairs} pairs)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
)py";

} // namespace cudal1::report
