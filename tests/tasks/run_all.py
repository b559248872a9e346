# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs each task once, a process each: does it load, how long does a call take, how much memory does the process need?

run_all.py [--tasks kernelbench] [--device cpu] [--seconds 60] [--memory-gb 16] [--only LEVEL/ID ...] [--json FILE]

A task that takes longer than the limit, from the start of its process to its result, or more memory, is listed with what
it ran into. Prints a line a task and a count a level; exit status 0 when all ran.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

CHILD = """
import json, resource, sys, time
path, device, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
import torch
if device == "cpu":
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
task = {"__name__": "task"}
exec(compile(open(path, encoding="utf-8").read(), path, "exec"), task)
torch.manual_seed(0)
with torch.no_grad(), torch.device(device):
    inputs = task["get_inputs"]()
    model = task["Model"](*task["get_init_inputs"]()).to(device)
    begun = time.perf_counter()
    result = model(*inputs)
    if device != "cpu":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - begun
tensors = [t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]
finite = all(bool(torch.isfinite(t).all()) for t in tensors if t.is_floating_point())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 if device == "cpu" else torch.cuda.max_memory_allocated()
print(json.dumps({"call_s": seconds, "peak_bytes": peak, "finite": finite}))
"""


def run(path: pathlib.Path, options: argparse.Namespace) -> dict:
    begun = time.monotonic()
    limit = int(options.memory_gb * 1e9)
    try:
        done = subprocess.run([sys.executable, "-c", CHILD, str(path), options.device, str(limit)], capture_output=True, text=True,
                              timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return {"ok": False, "why": f"more than {options.seconds:g} s"}
    seconds = time.monotonic() - begun
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        memory = "alloc" in last.lower() or "memory" in last.lower() or done.returncode < 0
        return {"ok": False, "why": f"more than {options.memory_gb:g} GB" if memory else last[:200], "seconds": seconds}
    found = json.loads(done.stdout.splitlines()[-1])
    if found["peak_bytes"] > limit:
        return {**found, "ok": False, "why": f"more than {options.memory_gb:g} GB", "seconds": seconds}
    return {**found, "ok": True, "why": "" if found["finite"] else "its result is not finite", "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default=str(pathlib.Path(__file__).resolve().parents[2] / "kernelbench"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--memory-gb", type=float, default=16)
    parser.add_argument("--only", nargs="*", default=[], metavar="LEVEL/ID")
    parser.add_argument("--json", help="writes the rows there as they come")
    options = parser.parse_args()
    files = []
    for path in pathlib.Path(options.tasks).glob("level*/*.py"):
        number = re.fullmatch(r"level(\d+)/(\d+)_.*", f"{path.parent.name}/{path.name}")
        if number and (not options.only or f"{number[1]}/{number[2]}" in options.only):
            files.append((int(number[1]), int(number[2]), path))
    rows, failed = [], 0
    for level, number, path in sorted(files):
        row = {"task": f"{level}/{number}", "name": path.stem.partition("_")[2], **run(path, options)}
        rows.append(row)
        failed += not row["ok"]
        facts = f"call {row['call_s']:8.3f} s  peak {row['peak_bytes'] / 1e9:6.2f} GB" if "call_s" in row else ""
        print(f"{'ok  ' if row['ok'] else 'FAIL'} {row['task']:6} {row['name'][:44]:44} {facts:34} {row['why']}".rstrip(), flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=0), encoding="utf-8")
    for level in sorted({level for level, _, _ in files}):
        own = [row for row in rows if row["task"].startswith(f"{level}/")]
        print(f"level {level}: {sum(row['ok'] for row in own)} of {len(own)} on {options.device} within {options.seconds:g} s and {options.memory_gb:g} GB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
