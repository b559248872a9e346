# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 experiment --example` with the real trainer, model and judge: check_experiment_example.py CUDAL1. Takes many minutes."""
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from killedonce import killed_once, need

DEADLINE = 3000


def main():
    need("tokenizers", "torch")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [sys.argv[1], "experiment", "--example", "--preset", "quick", "--out", str(folder / "example"), "--project",
                   str(folder / "p.cudal1"), "--json"]
        out = json.loads(killed_once(command, lambda: list(folder.glob("example/models/sft.*/seed-1/step-*")), DEADLINE))
    assert out["done"] == out["planned"] == 8 * 20 * 2, (out["done"], out["planned"])
    rows = {(row["name"], row["split"]): row for row in out["rows"]}
    for name in {name for name, split in rows}:
        assert rows[name, "train"]["runs"] == 30 and rows[name, "held_out"]["runs"] == 10, name
    assert rows["Vanilla", "train"]["success"] == 0 and rows["Stage 1", "train"]["success_share"] > 0.2
    print(json.dumps([[row["name"], row["split"], row["success_share"], row["mean"]] for row in out["rows"]], indent=1), file=sys.stderr)


main()
