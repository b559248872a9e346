# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 train --example` with the real trainer and the real judge, killed once: check_train_example.py CUDAL1. Takes minutes."""
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from killedonce import killed_once, need

DEADLINE = 900


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def main():
    need("tokenizers", "torch")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [sys.argv[1], "train", "--example", "--out", str(folder / "example"), "--json"]
        first = folder / "first.jsonl"
        with open(first, "w") as out:
            text = killed_once(command, lambda: len(lines_of(first)) >= 60, DEADLINE, out)  # in the midst of stage 1
        began = {line["batch"]: line for line in lines_of(first)}
        *steps, last = map(json.loads, text.splitlines())
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


main()
