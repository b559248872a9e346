# SPDX-License-Identifier: GPL-3.0-or-later
"""Every baseline that a device can do is judged correct on a task that all of them can do: parameters, a buffer that each
call changes, and an argument that is no tensor. One that cannot be captured gets a verdict with a reason.

usage: check_baselines.py EVALUATOR BASELINE_SOURCES DEVICE
Exit status 77, with the reason, where the device or a C++ compiler is missing.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judge"))
from evaluatorclient import EvaluatorClient  # noqa: E402

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
# The host has to wait for a value.
NOT_CAPTURED = TASK.replace("return self.norm(", "return float(x.sum()) * 0 + self.norm(")


def programs(tool: str, task: str) -> dict[str, tuple[str, str]]:
    """For each baseline what device it needs, and its source."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "task.txt"
        file.write_text(task)
        listed = subprocess.run([tool, file, folder], check=True, capture_output=True, text=True).stdout
        return {name: (device, (pathlib.Path(folder) / f"{name}.py").read_text())
                for name, device in (line.split() for line in listed.splitlines())}


def main(evaluator: str, tool: str, device: str) -> int:
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        print("skipped: torch.compile needs a C++ compiler")
        return 77
    client = EvaluatorClient(evaluator)
    if device not in [one["name"] for one in client.ask("describe")["devices"]]:
        print(f"skipped: this machine has no {device}")
        return 77
    failed = 0
    for name, (needs, source) in programs(tool, TASK).items():
        if needs == "cuda" and device == "cpu":
            continue
        answer = client.evaluate(TASK, source, device, build_limit_s=900)
        good = answer.get("verdict") == "correct" and answer["speedup"]["wall"]
        failed += not good
        print("ok  " if good else "FAIL", name, answer.get("verdict"), answer.get("speedup", {}).get("wall"), answer.get("reasons"),
              [label["code"] for label in answer.get("labels", [])], flush=True)
    if device != "cpu":
        answer = client.evaluate(NOT_CAPTURED, programs(tool, NOT_CAPTURED)["cuda-graph"][1], device)
        good = answer.get("verdict") not in (None, "correct") and answer["reasons"]
        failed += not good
        print("ok  " if good else "FAIL", "cuda-graph of what cannot be captured:", answer.get("verdict"), answer.get("reasons"))
    client.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
