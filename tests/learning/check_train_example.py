# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 train --example` with the real trainer and the real judge, killed once: check_train_example.py CUDAL1. Takes minutes."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE = 900


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def main():
    try:
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as missing:
        print(f"the interpreter has no {missing.name}")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [sys.argv[1], "train", "--example", "--out", str(folder / "example"), "--json"]
        first = folder / "first.jsonl"
        with open(first, "w") as out:
            process = subprocess.Popen(command, stdout=out)
            end = time.monotonic() + DEADLINE
            while len(lines_of(first)) < 60 and process.poll() is None:  # in the midst of stage 1
                assert time.monotonic() < end, "stage 1 has not begun"
                time.sleep(0.2)
            assert process.poll() is None, process.returncode
            process.send_signal(signal.SIGKILL)
            process.wait()
        began = {line["batch"]: line for line in lines_of(first)}
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=DEADLINE)
        assert ran.returncode == 0, ran.returncode
        *steps, last = map(json.loads, ran.stdout.splitlines())
    supervised = [line for line in steps if line["stage"] == "sft"]
    assert 0 < supervised[0]["batch"] <= len(began) and supervised[-1]["batch"] == supervised[-1]["steps"] - 1, supervised[0]
    for line in supervised:
        if line["batch"] in began:  # the curve goes on bit for bit
            assert line["loss"] == began[line["batch"]]["loss"], (line, began[line["batch"]])
    assert supervised[-1]["loss"] < began[0]["loss"] / 4
    assert [stage["stage"] for stage in last["stages"]] == ["sft", "self", "contrastive"], last
    for stage in last["stages"]:
        for field in ("success_before", "success_after", "reward_before", "reward_after"):
            assert stage[field] >= 0, stage
        assert stage["hacks_accepted"] == 0, stage
    sft, own, contrastive = last["stages"]
    assert sft["success_before"] < 0.05 and sft["success_after"] > 0.3, sft
    assert own["success_before"] == sft["success_after"] and contrastive["success_before"] == own["success_after"]
    assert {line["stage"] for line in steps} == {"sft", "self", "contrastive"}
    print(json.dumps(last, indent=1), file=sys.stderr)
    return 0


sys.exit(main())
