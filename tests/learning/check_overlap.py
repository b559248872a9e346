# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 train contrastive` with the real trainer, a tiny model and a recorded evaluator, with overlap and without it:
check_overlap.py CUDAL1 REPLAY_EVALUATOR CUDAL1-TRAINER MODEL."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import testrun  # noqa: E402

PROGRAM, EVALUATOR, TRAINER, MODEL = sys.argv[1:5]
del sys.argv[3:5]
STEPS = 9


def program(body):
    return f"```python\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return {body}\n```"


class Folder:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        (self.path / "texts.json").write_text(json.dumps([program("good"), program("even"), "no program"]))
        recording = [{"on": "graph", "reply": {"output_kind": "tensor", "total_ns": 1000}}]
        for word, speed in ("good", 2.0), ("even", 1.0):
            wall = {"estimate": speed, "low": speed, "high": speed, "reference_ns": 1e6, "candidate_ns": 1e6 / speed}
            recording.append({"on": "evaluate", "candidate_contains": word, "reply": {"verdict": "correct", "speedup": {"wall": wall}}})
        (self.path / "recording.jsonl").write_text("".join(json.dumps(line) + "\n" for line in recording))
        tasks = self.path / "tasks/level1"
        tasks.mkdir(parents=True)
        source = (HERE.parent / "cli/data/suite/level1/1_Chain.py").read_text()
        for number in (1, 2, 4, 6):
            (tasks / f"{number}_Chain.py").write_text(f"# {number}\n{source}")

    def start(self, overlap, **how):
        command = [PROGRAM, "train", "contrastive", "--model", MODEL, "--out", "run", "--tasks", "tasks", "--batch", "2", "--group", "4",
                   "--steps", str(STEPS), "--save-every", "2", "--max-tokens", "6", "--learning-rate", "0.01", "--decay", "none", "--numbers",
                   "float32", "--threads", "1", "--exemplars", "none", "--overlap", overlap, "--json", "--project", "p.cudal1"]
        own = {"CUDAL1_TRAINER": f'"{sys.executable}" -B "{HERE / "tiny_trainer.py"}" "{TRAINER}" "{self.path / "texts.json"}"',
               "CUDAL1_EVALUATOR": f'"{EVALUATOR}" "{self.path / "recording.jsonl"}"', "XDG_CONFIG_HOME": str(self.path / "config"),
               "XDG_DATA_HOME": str(self.path / "share")}
        return subprocess.Popen(command, env={**os.environ, **own}, cwd=self.path, stdout=subprocess.PIPE, text=True, **how)

    def finish(self, overlap):
        out, _ = (process := self.start(overlap)).communicate(timeout=240)
        assert process.returncode == 0, (process.returncode, out)
        *steps, last = map(json.loads, out.splitlines())
        assert last["state"] == "finished", last
        return [curve(step) for step in steps]


def curve(step):
    """What must be the same whatever machine time it took."""
    timed = ("seconds", "tokens_per_second", "draw_seconds", "judge_seconds", "saved", "peak_device_bytes")
    return {key: value for key, value in step.items() if key not in timed}


def killed_and_gone_on_with(overlap):
    """Kill -9 at three places, then to the end; of what was done twice both are there."""
    folder, steps = Folder(), []
    for lines in (2, 3, 2):
        process, ended = folder.start(overlap), len(list(folder.path.glob("ended-*")))
        steps += [curve(json.loads(process.stdout.readline())) for _ in range(lines)]
        process.kill()
        process.wait()
        process.stdout.close()
        testrun.until(lambda: len(list(folder.path.glob("ended-*"))) > ended, "the trainer's end")
    return steps + folder.finish(overlap)


def test_a_curve_goes_on_bit_for_bit_with_overlap_and_without():
    curves = {}
    for overlap in ("off", "on"):
        whole = curves[overlap] = Folder().finish(overlap)
        assert [step["batch"] for step in whole] == list(range(STEPS)), whole
        steps = killed_and_gone_on_with(overlap)
        assert len(steps) > STEPS
        for step in steps:
            assert step == whole[step["batch"]], (overlap, step, whole[step["batch"]])
        assert {step["batch"] for step in steps} == set(range(STEPS))
    learnt = [step for step in curves["on"] if not step.get("skipped")]
    assert len(learnt) >= 3, curves["on"]
    # Replies that are one update old differ from the trainer's weights by more than rounding, and are corrected for it.
    assert max(step["mismatch"] for step in curves["off"]) < 1e-4 < max(step["mismatch"] for step in learnt), (curves["off"], learnt)
    assert [step["sampler_age"] for step in curves["on"]] == [0] + [1] * (STEPS - 1)


testrun.run(globals())
