# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters by CUPTI and by ncu of the same kernels, and how far they stand apart.

counters_on_gpu.py EVALUATOR [--device cuda:0] [--project PROJECT] [--tasks 1/1,1/23,2/1,3/5] [--json FILE]
                   [--seconds 540] [--no-ncu] [--in-calls]

For each task the reference and a variant: the fastest of PROJECT (default: the sample) that a search found, else the
reference compiled by torch.compile. ncu is CUDAL1_NCU, or found. By itself it empties the caches before each kernel; with
--in-calls it runs the whole program some 12 times instead (80 s and more a side), so that caches are what they are in a
call, as they are for CUPTI. Prints a line a kernel and metric that both have, with
the difference in percent, and what each side says where it has none. Status 0 when CUPTI counted in every kernel and no
metric of a kernel that takes a twentieth of its call differs by more than --bound percent, or by two percentage points
where it is a share; 1 otherwise; 77 without a GPU.
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from evaluatorclient import EvaluatorClient

COMPILED = """

class ModelNew(torch.nn.Module):
    def __init__(self, *args, **keywords):
        super().__init__()
        self.model = Model(*args, **keywords)
        self.compiled = torch.compile(self.model)

    def forward(self, *inputs):
        return self.compiled(*inputs)
"""


def task_source(name):
    level, number = name.split("/")
    return next((ROOT / "kernelbench" / f"level{level}").glob(f"{number}_*.py")).read_text()


def best_variant(project, task):
    """Source and name of the fastest variant that no baseline is; None without one."""
    if not project.exists():
        return None
    connection = sqlite3.connect(f"file:{project}?immutable=1", uri=True)
    row = connection.execute(
        "SELECT v.id, t.source FROM variants v JOIN variant_texts t ON t.variant = v.id JOIN evaluations e ON e.id = v.evaluation"
        " WHERE v.task = ? AND v.baseline = '' AND e.verdict = 'correct' AND e.device LIKE 'cuda%'"
        " ORDER BY e.wall_estimate DESC LIMIT 1", (task,)).fetchone()
    connection.close()
    return row and (row[1], f"variant {row[0]}")


IN_CALLS = '''#!{python}
import os
import sys
words = sys.argv[1:]
if "--cache-control" in words:
    words[words.index("--cache-control") + 1] = "none"
    words = ["--replay-mode", "application", *words]
os.execv("{ncu}", ["{ncu}", *words])
'''


def ncu_in_calls(folder):
    """A program in the place of ncu that has whole processes run again."""
    ncu = os.environ.get("CUDAL1_NCU") or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    program = pathlib.Path(folder) / "ncu"
    program.write_text(IN_CALLS.format(python=sys.executable, ncu=ncu))
    program.chmod(0o755)
    return str(program)


def driver_says():
    """Whether the driver lets others than administrators count."""
    try:
        lines = pathlib.Path("/proc/driver/nvidia/params").read_text().splitlines()
    except OSError as error:
        return str(error)
    return next((line for line in lines if line.startswith("RmProfilingAdminOnly")), "RmProfilingAdminOnly is not told")


def short(name):
    return name.removeprefix("void ").split("(")[0][:70]


def shares(metrics):
    return {key: value for key, value in metrics.items() if key == "occupancy" or key.endswith("_use")}


def differences(one, other):
    """(metric, by CUPTI, by ncu, difference in percent)"""
    for key in sorted(one.keys() & other.keys() - {"stalls"}):
        a, b = one[key], other[key]
        yield key, a, b, 100 * (a - b) / b if b else (0.0 if a == 0 else float("inf"))
    for reason in sorted(one.get("stalls", {}).keys() & other.get("stalls", {}).keys()):
        a, b = one["stalls"][reason], other["stalls"][reason]
        if max(a, b) >= 0.05:
            yield "stalls." + reason, a, b, 100 * (a - b) / b if b else float("inf")


def compare_side(task, side_name, cupti, ncu, bound):
    """Prints what both say of one side; returns (kernels without counts, kernels by both, metrics apart)."""
    by_ncu = {(k["name"], json.dumps(k["launch"], sort_keys=True)): k for k in (ncu or {}).get("kernels", [])}
    missing = both = apart = 0
    call = sum(kernel["time_ns"] for kernel in cupti["kernels"]) or 1
    for kernel in cupti["kernels"][:12]:
        print(f"  {task} {side_name}: {short(kernel['name'])} × {kernel['launches']:g}, {kernel['time_ns'] / 1e3:.2f} us")
        measured = kernel.get("measured")
        if measured is None:
            missing += 1
            print("      no counts by CUPTI")
            continue
        other = by_ncu.get((kernel["name"], json.dumps(kernel["launch"], sort_keys=True)), {}).get("measured")
        if other is None:
            print("      CUPTI alone: " + ", ".join(f"{key} {value:.4g}" for key, value in measured.items() if key != "stalls"))
            print("      stalls: " + ", ".join(f"{key} {value:.2f}" for key, value in measured.get("stalls", {}).items() if value >= 0.05))
            continue
        both += 1
        for key, a, b, percent in differences(measured, other):
            is_share = key in shares(measured) or key.startswith("stalls.")
            near = abs(percent) <= bound or (is_share and abs(a - b) <= 0.02)
            counts = kernel["time_ns"] >= 0.05 * call and not near
            apart += counts
            print(f"      {key:24} CUPTI {a:14.6g}   ncu {b:14.6g}   {percent:+7.2f} %{'' if near else '  <<<' if counts else '  (short kernel)'}")
    for note in cupti["notes"]:
        print(f"      note: {note}")
    for note in (ncu or {}).get("notes", []):
        print(f"      note of ncu's: {note}")
    return missing, both, apart


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evaluator")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--project", type=pathlib.Path, default=ROOT / "resources" / "sample" / "sample.cudal1")
    parser.add_argument("--tasks", default="1/1,1/23,2/1,3/5")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--bound", type=float, default=5)
    parser.add_argument("--no-ncu", action="store_true")
    parser.add_argument("--in-calls", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    folder = tempfile.TemporaryDirectory()
    client = EvaluatorClient(options.evaluator, **({"CUDAL1_NCU": ncu_in_calls(folder.name)} if options.in_calls else {}))
    machine = client.ask("describe")
    if options.device not in [device["name"] for device in machine.get("devices", [])]:
        print(f"There is no {options.device} here.")
        sys.exit(77)
    print("driver:", driver_says())
    if not options.project.exists():
        print(f"There is no {options.project}: the reference compiled by torch.compile stands in for its variants.")
    answers, sums = {}, [0, 0, 0]
    for task in options.tasks.split(","):
        source = task_source(task)
        candidate, name = best_variant(options.project, task) or (source + COMPILED, "torch.compile")
        got = {}
        for means in ["cupti"] + ([] if options.no_ncu else ["ncu"]):
            if time.monotonic() - begun > options.seconds:
                print(f"{task}: no time left for {means}")
                continue
            start = time.monotonic()
            got[means] = client.ask("counters", task={"name": task, "source": source}, candidate=candidate, candidate_name=name,
                                    device=options.device, seed=7, source=means)
            answer = got[means]
            print(f"{task} {name} by {means} in {time.monotonic() - start:.1f} s: "
                  + (f"{answer['source']}, {answer['tool']}; {answer['reason']}" if answer["type"] == "counters" else json.dumps(answer)[:600]))
        answers[task] = got
        cupti, ncu = got.get("cupti", {}), got.get("ncu", {})
        if cupti.get("type") != "counters":
            sums[0] += 1
            continue
        for side in ("reference", "candidate"):
            counted = compare_side(task, side, cupti[side], ncu.get(side) if ncu.get("type") == "counters" else None, options.bound)
            sums = [a + b for a, b in zip(sums, counted)]
        sys.stdout.flush()
    client.close()
    if options.json:
        options.json.write_text(json.dumps(answers, indent=1))
    print(f"{sums[0]} kernels without counts, {sums[1]} counted by both, {sums[2]} metrics further apart than {options.bound:g} %")
    sys.exit(0 if sums[0] == 0 and sums[2] == 0 else 1)


if __name__ == "__main__":
    main()
