#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of each process and tokens a second of cudal1-trainer, by number of processes and kind of sharding.

measure_processes.py CUDAL1-TRAINER [--device cpu|cuda] [--numbers bfloat16] [--processes 1,2,4] [--model FOLDER] [--json FILE] [sizes]

Each row is a training of its own, of the same batches: supervised steps on random tokens, of which the first is not counted. The loss of
the last step stands beside each row; it is the same in all of them up to rounding. Without --model it is a model with random weights in
the shape of SmolLM2-135M.

Memory on a CPU is the peak of a process's resident memory from the second step on, less what was resident before the model was opened
(libraries). On GPUs, one a process, it is what torch has had allocated at the peak in the first process, and beside it what the driver
says that each GPU has in use, with CUDA's own memory and what torch keeps for later. It needs torch and transformers for the model.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from compare_trl import Memory, make_model
from trainerclient import Trainer

MIB = 2**20
KINDS = ("none", "optimizer", "gradients", "weights")


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024


def used_of_gpus(count):
    told = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True, check=True)
    return [int(line) * MIB for line in told.stdout.split()][:count]


def batches(given):
    draw, out = random.Random(0), []
    for _ in range(given.steps + 1):
        out.append([{"prompt_tokens": [draw.randrange(2, 258) for _ in range(given.length // 2)],
                     "tokens": [draw.randrange(2, 258) for _ in range(given.length // 2)]} for _ in range(given.sequences)])
    return out


def measured(given, model, processes, sharding):
    on_cuda = given.device == "cuda"
    # Large blocks go back to the system once they are freed, so that what is resident is what is held.
    environment = {"OMP_NUM_THREADS": str(given.threads), "MALLOC_MMAP_THRESHOLD_": "65536"}
    with Trainer(given.program, processes, environment=environment) as trainer:
        pids = [process.pid for process in reversed(trainer.processes)]
        before = [resident(pid) for pid in pids]
        facts = trainer.answer("open", model=model, device=given.device, numbers=given.numbers, sharding=sharding, threads=given.threads,
                               recomputes=given.recomputes, pass_tokens=given.pass_tokens,
                               optimizer={"learning_rate": 1e-5, "beta2": 0.95, "weight_decay": 0.1, "clip_norm": 1, "decay": "none"})
        seconds, peaks = [], []
        for number, pairs in enumerate(batches(given)):
            begun = time.perf_counter()
            answer = trainer.answer("sft", pairs=pairs)
            if number > 0:
                seconds.append(time.perf_counter() - begun)
                peaks.append(answer["peak_device_bytes"])
            elif not on_cuda:
                for pid in pids:
                    Memory(pid).reset()
        memory = used_of_gpus(processes) if on_cuda else [Memory(pid).peak() - least for pid, least in zip(pids, before)]
        trainer.end()
    return {"processes": processes, "sharding": sharding, "parameters": facts["parameters"], "seconds": statistics.median(seconds),
            "tokens_per_second": given.sequences * given.length / statistics.median(seconds), "loss": answer["loss"],
            "memory_bytes": memory, "peak_device_bytes": max(peaks)}


def shown(row):
    out = f"{row['processes']} processes, {row['sharding']:9}  " + " ".join(f"{size / MIB:7.0f}" for size in row["memory_bytes"]) + " MiB"
    if row["peak_device_bytes"]:
        out += f" ({row['peak_device_bytes'] / MIB:.0f} allocated in the first)"
    return out + f"  {row['tokens_per_second']:8.0f} tokens a second  loss {row['loss']:.6f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="cudal1-trainer")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--numbers", default="bfloat16", choices=["float32", "bfloat16"])
    parser.add_argument("--processes", default="1,2,4", help="with commas (default: %(default)s)")
    parser.add_argument("--sharding", default=",".join(KINDS), help="with commas (default: all)")
    parser.add_argument("--model", help="a Hugging Face folder (default: random weights in the shape of SmolLM2-135M)")
    parser.add_argument("--steps", type=int, default=2, help="that count (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of each process (default: %(default)s)")
    parser.add_argument("--sequences", type=int, default=4, help="of a step (default: %(default)s)")
    parser.add_argument("--length", type=int, default=64, help="of a sequence (default: %(default)s)")
    parser.add_argument("--pass-tokens", type=int, default=64, help="of a pass; few, so that memory is that of the weights (default: %(default)s)")
    parser.add_argument("--recomputes", action="store_true")
    parser.add_argument("--json", help="file for all numbers")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model = given.model
        if model is None:
            model = os.path.join(folder, "model")
            make_model(model)
        for processes in map(int, given.processes.split(",")):
            for sharding in given.sharding.split(",") if processes > 1 else ["none"]:
                rows.append(measured(given, model, processes, sharding))
                print(shown(rows[-1]), flush=True)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps({"arguments": vars(given), "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
