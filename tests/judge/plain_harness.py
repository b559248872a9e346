# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plain harness makes of the planted corpus: one process, one dictionary, one public seed, one check, Python's clocks.

Run as: plain_harness.py DEVICE [--only GLOB] [--json FILE]

This is no test. It shows that the cheats are real: those that it accepts with a gain are what the judge must not be
taken in by. A program that it does not accept either needs a harness of another kind, or does not work.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus

CALLS = 60
LIMIT_S = 120


def judge(task: str, candidate: str, device: str) -> dict:
    """Runs in a child. Everything here is in the candidate's reach, on purpose."""
    import statistics
    import time

    import torch

    torch.set_grad_enabled(False)
    space: dict = {"__name__": "plain"}
    exec(compile(task, "task.py", "exec"), space)
    exec(compile(candidate, "candidate.py", "exec"), space)
    models = []
    for name in ("Model", "ModelNew"):
        torch.manual_seed(42)
        models.append(space[name](*space["get_init_inputs"]()).to(device))
    torch.manual_seed(42)
    inputs = [value.to(device) if isinstance(value, torch.Tensor) else value for value in space["get_inputs"]()]
    reference, model = models

    def synchronize():
        if device != "cpu":
            torch.cuda.synchronize()

    for _ in range(3):
        expected = reference(*inputs)
        actual = model(*inputs)
        synchronize()
        if not torch.allclose(expected, actual.to(device), atol=1e-2, rtol=1e-2):
            return {"accepted": False}

    def call_ns(side):
        samples = []
        for _ in range(CALLS):
            if device == "cpu":
                begun = time.perf_counter_ns()
                side(*inputs)
                samples.append(time.perf_counter_ns() - begun)
            else:
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                side(*inputs)
                end.record()
                torch.cuda.synchronize()
                samples.append(begin.elapsed_time(end) * 1e6)
        return statistics.median(samples[CALLS // 2:])

    return {"accepted": True, "speedup": call_ns(reference) / max(call_ns(model), 1)}


def child(path: str, device: str) -> None:
    program = corpus.parse(pathlib.Path(path), pathlib.Path(path).read_text())
    print("\nplain: " + json.dumps(judge(corpus.task_path(program).read_text(), program.source, device)), flush=True)


def ask(program: corpus.Program, device: str) -> dict:
    with tempfile.TemporaryDirectory(prefix="cudal1-plain-") as folder:
        environment = {**os.environ, "HOME": folder, "TMPDIR": folder}
        try:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), device, "--child", str(program.path)], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return {"accepted": False, "why": "hung"}
    for text in reversed(done.stdout.splitlines()):
        if text.startswith("plain: "):
            return json.loads(text.removeprefix("plain: "))
    return {"accepted": False, "why": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", nargs="?", default="cpu")
    parser.add_argument("--only")
    parser.add_argument("--json")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.device)
        return 0
    rows = {}
    for program in corpus.read():
        if not program.kind or not program.fits(arguments.device) or program.missing():
            continue
        if arguments.only and not fnmatch.fnmatch(program.name, arguments.only):
            continue
        answer = rows[program.name] = ask(program, arguments.device)
        gain = f"{answer['speedup']:10.2f}x" if answer["accepted"] else " " * 11
        print(f"{'accepts' if answer['accepted'] else 'rejects':<9}{program.name:<46}{gain}  {answer.get('why', '')}", flush=True)
    accepted = [row for row in rows.values() if row["accepted"]]
    gained = sum(row["speedup"] > corpus.REFERENCE_BOUND for row in accepted)
    print(f"a plain harness accepts {len(accepted)} of {len(rows)} cheats, {gained} of them as faster")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
