# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 experiment --example` with the real trainer, model and judge: check_experiment_example.py CUDAL1. Takes many minutes."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE = 3000


def main():
    try:
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as missing:
        print(f"the interpreter has no {missing.name}")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [sys.argv[1], "experiment", "--example", "--preset", "quick", "--out", str(folder / "example"), "--project",
                   str(folder / "p.cudal1"), "--json"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + DEADLINE
        while not list(folder.glob("example/models/sft.*/seed-1/step-*")) and process.poll() is None:  # in the midst of a stage
            assert time.monotonic() < end, "stage 1 has not begun"
            time.sleep(0.2)
        assert process.poll() is None, process.returncode
        process.send_signal(signal.SIGKILL)
        process.wait()
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=DEADLINE)
        assert ran.returncode == 0, ran.returncode
        out = json.loads(ran.stdout)
    assert out["done"] == out["planned"] == 8 * 20 * 2, (out["done"], out["planned"])
    rows = {(row["name"], row["split"]): row for row in out["rows"]}
    for name in {name for name, split in rows}:
        assert rows[name, "train"]["runs"] == 30 and rows[name, "held_out"]["runs"] == 10, name
    assert rows["Vanilla", "train"]["success"] == 0 and rows["Stage 1", "train"]["success_share"] > 0.2
    print(json.dumps([[row["name"], row["split"], row["success_share"], row["mean"]] for row in out["rows"]], indent=1), file=sys.stderr)
    return 0


sys.exit(main())
