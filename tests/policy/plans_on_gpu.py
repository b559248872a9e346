# SPDX-License-Identifier: GPL-3.0-or-later
"""Times plans of our convolution kernels alone on a GPU, beside the plan that is taken: the fastest known one, or else the model's.

plans_on_gpu.py make PLANS_TOOL PROJECT FILE [--plans 12]    no GPU: plans for the tasks whose graphs PROJECT has recorded
plans_on_gpu.py time FILE RESULTS [--seconds 150]            on a GPU: a line of JSON a plan, then a table
plans_on_gpu.py best RESULTS...                              no GPU: the fastest plan of each, as measuredplans.cpp lists them

PLANS_TOOL is cudal1-plans of the tests. A kernel that several tasks share is timed once. A time is the least of six calls,
each after the device's cache was emptied. The table has, for each convolution with several plans, what was chosen, what is
best, and how much longer the choice takes; its last line has the geometric mean.
"""
import argparse
import ctypes
import functools
import json
import lzma
import math
import multiprocessing
import sqlite3
import subprocess
import sys
import time
import zlib


def recorded(project):
    """Name, source and newest operator graph of each task that has one."""
    with sqlite3.connect(f"file:{project}?mode=ro", uri=True) as store:
        cache = {key: value for key, value in store.execute("SELECT key, value_zlib FROM cache WHERE key LIKE '%graph/%'")}
        tasks = store.execute("SELECT id, hash, source FROM tasks ORDER BY level, length(id), id").fetchall()
    text = lambda key: json.loads(zlib.decompress(cache[key][4:]))  # a length of four bytes stands in front
    for name, digest, source in tasks:
        newest = [key for key in cache if key.startswith("newest-graph/") and key.endswith(digest)]
        if newest and (key := text(newest[0])["key"]) in cache:
            yield name, source, text(key)


def make(arguments):
    seen, out = set(), []
    for name, source, graph in recorded(arguments.project):
        made = subprocess.run([arguments.tool, str(arguments.plans)], input=json.dumps({"source": source, "graph": graph}), capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(f"{name}: {made.stderr}")
        for site in json.loads(made.stdout):
            kernels = tuple(plan["text"] for plan in site["plans"])
            if kernels not in seen:
                seen.add(kernels)
                out.append({"task": name, **site})
    with lzma.open(arguments.file, "wt") as file:
        json.dump(out, file)
    print(f"{len(out)} convolutions, {sum(len(site['plans']) for site in out)} plans")


def cubin_of(library, architecture, text):
    import torch  # which loads the library that is named next

    nvrtc, program, size = ctypes.CDLL(library), ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture={architecture}".encode())
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, 1, options) != 0:
        return None
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    return cubin.raw


class Device:
    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            sys.exit("There is no GPU here. Only `make` does without one; copy its file to a machine that has one.")
        self.torch, self.driver, self.kept = torch, ctypes.CDLL("libcuda.so.1"), {}
        self.cache = torch.empty(1 << 26, device="cuda")  # more than any device's second-level cache has
        self.architecture = "sm_{}{}".format(*torch.cuda.get_device_capability())
        self.nvrtc = "libnvrtc.so." + (torch.version.cuda or "13").split(".")[0]

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"CUDA error {status}")

    def tensor(self, shape):
        if tuple(shape) not in self.kept:
            if sum(tensor.numel() for tensor in self.kept.values()) > 3e9:
                self.kept.clear()
            self.kept[tuple(shape)] = self.torch.randn(shape, device="cuda")
        return self.kept[tuple(shape)]

    def time_us(self, plan, cubin, shapes):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.driver.cuModuleLoadData(ctypes.byref(module), cubin))
        try:
            self.check(self.driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"convolution"))
            self.check(self.driver.cuFuncSetAttribute(kernel, 8, plan["shared"]))  # the most dynamic shared memory
            taps = self.torch.ones(plan["taps"], device="cuda")
            tensors = [taps if shape is None else self.tensor(shape) for shape in shapes[:-1]]
            tensors.append(self.torch.empty(shapes[-1], device="cuda"))
            pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
            given = (ctypes.c_void_p * len(pointers))(*(ctypes.cast(ctypes.pointer(pointer), ctypes.c_void_p) for pointer in pointers))
            stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
            times = []
            for _ in range(6):
                self.cache.zero_()
                begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                self.check(self.driver.cuLaunchKernel(kernel, plan["blocks"], 1, 1, plan["threads"], 1, 1, plan["shared"], stream, given, None))
                end.record()
                end.synchronize()
                times.append(begin.elapsed_time(end) * 1e3)
            return min(times)
        finally:
            self.driver.cuModuleUnload(module)


def time_all(arguments):
    begun = time.monotonic()
    with lzma.open(arguments.file, "rt") as file:
        sites = json.load(file)
    plans = [(site, plan) for site in sites for plan in site["plans"]]
    device = Device()
    compiler = functools.partial(cubin_of, device.nvrtc, device.architecture)
    with multiprocessing.get_context("spawn").Pool() as pool, open(arguments.results, "w") as results:
        for (site, plan), cubin in zip(plans, pool.imap(compiler, [plan["text"] for _, plan in plans])):
            if time.monotonic() - begun > arguments.seconds:
                print("the time is over; what follows is of what was timed")
                break
            if cubin is not None:
                plan["us"] = device.time_us(plan, cubin, site["arguments"])
                results.write(json.dumps({"task": site["task"], "site": site["site"], "name": site["name"], **{k: v for k, v in plan.items() if k != "text"}}) + "\n")
    longer = []
    for site in sites:
        timed = [plan["us"] for plan in site["plans"] if "us" in plan]
        if len(timed) > 1 and "us" in site["plans"][0]:  # the first is what is taken
            longer.append(math.log(timed[0] / min(timed)))
            kind = "moments of " if site["moments"] else ""
            print(f"{site['task']:6} chosen {timed[0]:9.1f} us, best {min(timed):9.1f}, model {site['plans'][0]['model_us']:9.1f}  {kind}{site['site'][:90]}")
    if longer:
        print(f"the choice takes {math.exp(sum(longer) / len(longer)):.3f} times as long as the best ({len(longer)} convolutions)")


def best(arguments):
    plans = {}
    for path in arguments.results:
        with open(path) as results:
            for plan in map(json.loads, results):
                name = plan["name"]
                if name not in plans or plan["us"] < plans[name]["us"]:
                    plans[name] = plan
    for name, plan in sorted(plans.items()):
        numbers = [plan["place_tiles"], plan["channel_tiles"], *plan["warps"], plan["chunk"]]
        tile = ", ".join(map(str, plan["tile"]))
        rest = f'{", ".join(map(str, numbers))}, {{{tile}}}, {plan["resident"]}, {plan["us"]:.4g}}},'
        print(f'    {{"{name}",' + (" " if len(name) + len(rest) < 110 else "\n     ") + rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    maker = verbs.add_parser("make")
    for name in ("tool", "project", "file"):
        maker.add_argument(name)
    maker.add_argument("--plans", type=int, default=12)
    maker.set_defaults(run=make)
    timer = verbs.add_parser("time")
    for name in ("file", "results"):
        timer.add_argument(name)
    timer.add_argument("--seconds", type=float, default=150)
    timer.set_defaults(run=time_all)
    chooser = verbs.add_parser("best")
    chooser.add_argument("results", nargs="+")
    chooser.set_defaults(run=best)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
