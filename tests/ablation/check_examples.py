# SPDX-License-Identifier: GPL-3.0-or-later
"""Every combination of our two programs is correct: check_examples.py CUDAL1 EVALUATOR DEVICE

On a GPU the tasks themselves; on a CPU, which takes minutes for a call of them, the same classes with smaller sizes.
Exit status 77: this machine has no such device.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
examples = {
    "gru_bidirectional.py": ("3/41", "level3/41_GRUBidirectional.py", 16,
                             {"seq_len": "6", "input_size": "8", "hidden_size": "16", "num_layers": "2"}),
    "conv3d_asymmetric.py": ("1/66", "level1/66_conv_standard_3D__asymmetric_input__asymmetric_kernel.py", 8,
                             {"batch_size": "2", "out_channels": "8", "depth": "8", "height": "16", "width": "16"}),
}


def smaller(path, sizes):
    text = path.read_text()
    for name, size in sizes.items():
        text, count = re.subn(rf"^{name} = \d+$", f"{name} = {size}", text, flags=re.M)
        assert count == 1, (path, name)
    return text


def main():
    cudal1, evaluator, device = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        environment = dict(os.environ, CUDAL1_EVALUATOR=evaluator, XDG_DATA_HOME=str(folder))
        for name, (task, file, count, sizes) in examples.items():
            arguments = [task, "--example"]
            if device == "cpu":
                small = folder / pathlib.Path(file).name
                small.write_text(smaller(root / "kernelbench" / file, sizes))
                arguments = [str(small), str(root / "resources" / "ablation" / name)]
            ran = subprocess.run([cudal1, "ablate", *arguments, "--device", device, "--preset", "quick", "--json",
                                  "--project", str(folder / "p.cudal1")], env=environment, stdout=subprocess.PIPE, text=True)
            got = json.loads(ran.stdout)
            if ran.returncode == 3 and got.get("error", {}).get("code") == "unavailable":
                print(got["error"]["message"])
                return 77
            assert ran.returncode == 0, got
            assert len(got["rows"]) == count, got
            for row in got["rows"]:
                assert row["verdict"] == "correct", (name, row)
                assert row["speedup"]["wall"]["estimate"] > 0 and row["bottleneck"], row
                assert (row["speedup"]["event"] is None) == (device == "cpu"), row
            total = got["effects"]["wall"]["total"]["estimate"]
            print(f"{name}: {count} combinations correct, all over none {total:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
