# SPDX-License-Identifier: GPL-3.0-or-later
"""Every baseline that a device can do is judged correct on a task that all of them can do: parameters, a buffer that each
call changes, and an argument that is no tensor.

usage: check_baselines.py CUDAL1 EVALUATOR DEVICE
Exit status 77, with the reason, where the evaluator, the device or a C++ compiler is missing.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TASK = '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x, scale):
        return self.norm(self.linear(x) * scale)


def get_inputs():
    return [torch.randn(64, 128), 3]


def get_init_inputs():
    return [128]
'''


def main(cudal1: str, evaluator: str, device: str) -> int:
    if not os.access(evaluator, os.X_OK):
        print(f"skipped: {evaluator} is not built")
        return 77
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        print("skipped: torch.compile needs a C++ compiler")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        task = os.path.join(folder, "1_Task.py")
        with open(task, "w") as file:
            file.write(TASK)
        ran = subprocess.run([cudal1, "baselines", task, "--device", device, "--preset", "quick", "--json",
                              "--project", os.path.join(folder, "p.cudal1")],
                             env={**os.environ, "CUDAL1_EVALUATOR": f'"{evaluator}"'}, capture_output=True, text=True)
        if ran.returncode == 3 and "no device" in ran.stderr:
            print(f"skipped: {ran.stderr.strip()}")
            return 77
        if ran.returncode != 0:
            print(ran.stderr)
            return 1
        rows = json.loads(ran.stdout)["rows"]
    for row in rows:
        print(row["baseline"], row["verdict"], row["wall"] and row["wall"]["speedup"]["estimate"], row["reason"], row["labels"])
    expected = ["eager", "compile", "compile-max-autotune"] if device == "cpu" else \
        ["eager", "compile", "compile-reduce-overhead", "compile-max-autotune", "cuda-graph", "cudnn-autotune", "tf32"]
    assert [row["baseline"] for row in rows] == expected
    assert all(row["verdict"] == "correct" and row["wall"] for row in rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
