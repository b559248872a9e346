# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges many candidates in one evaluator, some of them hostile, some wrong, and fails when anything grows.

soak.py EVALUATOR DEVICE [--candidates 2000] [--hostile 0.1] [--wrong 0.45] [--every 100] [--preset quick]

Prints a row before, every so many candidates and after: memory of supervisor and zygote, open descriptors, processes,
folders in TMPDIR, and on a GPU the device memory in use as the driver tells. The first interval is warm-up; the last row
is held against the one that ends it. Status 0, 1 (something grew or a verdict was wrong), 77 (no such device).
"""
import argparse
import ctypes
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from evaluatorclient import EvaluatorClient
from hostile import QUICK
from leftovers import children, descendants, kept_folders, other_folders
from lineartask import HONEST, TASK, candidate, task

ON_GPU = task(16384, 1024)  # calls of most of a millisecond, whose speed-up takes few pairs to tell
WRONG = candidate("return torch.relu(self.linear(x))")
KEPT = 128  # folders of sources, as core/judge/supervisor/candidatefolders.h says
# What may be more at the end than after warm-up. Memory: a heap that settles; device memory: contexts of the driver
# itself and of other programs.
ALLOWED = {"supervisor_kib": 16 << 10, "zygote_kib": 32 << 10, "supervisor_fds": 0, "zygote_fds": 0, "processes": 0, "folders": 0, "kept": 0,
           "gpu_mib": 64}


class NvmlMemory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class GpuMemory:
    """Of one device, through the driver's management library: it opens no CUDA context, which would itself use memory."""

    def __init__(self, uuid: str):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        if self.library.nvmlInit_v2() or self.library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(self.device)):
            raise OSError(f"the driver's management library does not know {uuid}")

    def used_mib(self) -> int:
        memory = NvmlMemory()
        if self.library.nvmlDeviceGetMemoryInfo(self.device, ctypes.byref(memory)):
            raise OSError("the driver does not tell how much memory is used")
        return memory.used >> 20


def read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def resident_kib(pid: int) -> int:
    return next((int(line.split()[1]) for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("VmRSS:")), 0)


def measure(pid: int, folder: str, gpu: GpuMemory | None) -> dict:
    zygote = children(pid)[0]
    row = {"supervisor_kib": resident_kib(pid), "zygote_kib": resident_kib(zygote), "supervisor_fds": len(os.listdir(f"/proc/{pid}/fd")),
           "zygote_fds": len(os.listdir(f"/proc/{zygote}/fd")), "processes": len(descendants(pid)),
           "folders": other_folders(folder), "kept": max(0, kept_folders(folder) - KEPT)}
    if gpu:
        row["gpu_mib"] = gpu.used_mib()
    return row


def find_device(client: EvaluatorClient, name: str) -> dict | None:
    devices = {device["name"]: device for device in client.ask("describe")["devices"]}
    return devices.get(name)


def judge_all(client: EvaluatorClient, options: argparse.Namespace, folder: str, gpu: GpuMemory | None) -> tuple[list[dict], list[str]]:
    choose = random.Random(options.seed)
    names = [name for name in QUICK if not name.startswith("kills ")]  # those need isolation that not every machine has
    rows, wrong, hostile = [], [], 0

    def record(done: int) -> None:
        rows.append({"done": done, "hostile": hostile, "seconds": round(time.monotonic() - begun), **measure(client.process.pid, folder, gpu)})
        if done == 0:
            print("  ".join(rows[0]))
        print("  ".join(f"{value:>{len(key)}}" for key, value in rows[-1].items()), flush=True)

    begun = time.monotonic()
    wrong += judge(client, [("honest", HONEST, "correct")], options)  # the zygote and the reference are up from here
    record(0)
    for done in range(0, options.candidates, options.every):
        batch = []
        for _ in range(min(options.every, options.candidates - done)):
            drawn = choose.random()
            if drawn < options.hostile:
                name = choose.choice(names)
                body, verdict, _, _ = QUICK[name]
                hostile += 1
                batch.append((name, candidate(body), verdict))
            elif drawn < options.hostile + options.wrong:
                batch.append(("wrong", WRONG, "incorrect"))
            else:
                batch.append(("honest", HONEST, "correct"))
        wrong += judge(client, batch, options)
        record(done + len(batch))
    return rows, wrong


def judge(client: EvaluatorClient, batch: list[tuple[str, str, str]], options: argparse.Namespace) -> list[str]:
    """A queue: one candidate waits while another is judged, so that its process starts beside a hostile one's."""
    wrong, waiting = [], []

    def settle() -> None:
        name, verdict, request = waiting.pop(0)
        answer = client.finish(request)
        if answer.get("verdict") != verdict:
            wrong.append(f"{name}: {answer.get('verdict', answer.get('message'))} {answer.get('reasons', '')}")

    for name, source, verdict in batch:
        waiting.append((name, verdict, client.start_evaluation(TASK if options.device == "cpu" else ON_GPU, source, options.device, options.preset)))
        if len(waiting) > 1:
            settle()
    while waiting:
        settle()
    return wrong


def growth(rows: list[dict]) -> list[str]:
    settled, last = rows[1] if len(rows) > 2 else rows[0], rows[-1]
    return [f"{key} grew from {settled[key]} to {last[key]}" for key, allowed in ALLOWED.items()
            if key in last and last[key] - settled[key] > allowed]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluator")
    parser.add_argument("device")
    parser.add_argument("--candidates", type=int, default=2000)
    parser.add_argument("--hostile", type=float, default=0.1)
    parser.add_argument("--wrong", type=float, default=0.45, help="as many of a policy's first samples are")
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    folder = tempfile.mkdtemp()
    client = EvaluatorClient(options.evaluator, TMPDIR=folder)
    device = find_device(client, options.device)
    if device is None:
        client.close()
        shutil.rmtree(folder)
        print(f"skipped: this machine has no {options.device}")
        return 77
    gpu = GpuMemory(device["uuid"]) if options.device != "cpu" else None
    rows, problems = judge_all(client, options, folder, gpu)
    problems += growth(rows)
    status = client.close()
    if status != 0:
        problems.append(f"the evaluator ended with status {status}")
    if os.listdir(folder):
        problems.append(f"left in the temporary folder: {os.listdir(folder)}")
    shutil.rmtree(folder)
    print(*(problems or ["nothing grew, all verdicts as expected"]), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
