# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 train` against a scripted trainer and a recorded evaluator: check_train.py CUDAL1 REPLAY_EVALUATOR [TESTS]."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import testrun  # noqa: E402

PROGRAM, EVALUATOR = sys.argv[1], sys.argv[2]
TASK = HERE.parent / "cli/data/suite/level1/1_Chain.py"


def program(body):
    return f"```python\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return {body}\n```"


def evaluation(contains, verdict, speed=None, labels=(), **more):
    reply = {"verdict": verdict, "labels": [{"code": label, "text": label, "evidence": ""} for label in labels]}
    if speed:
        reply["speedup"] = {"wall": {"estimate": speed, "low": speed, "high": speed, "reference_ns": 1e6, "candidate_ns": 1e6 / speed}}
    else:
        reply["reasons"] = [{"code": "mismatch", "text": "It is wrong", "evidence": ""}]
    return {"on": "evaluate", "candidate_contains": contains, "reply": reply, **more}


RECORDING = [{"on": "graph", "reply": {"output_kind": "tensor", "total_ns": 1000}}, evaluation("good", "correct", 2.0), evaluation("even", "correct", 1.25), evaluation("cheat", "exploit"),
             evaluation("wrong", "incorrect"), {"on": "evaluate", "candidate_contains": "stuck", "act": "hang"}]


class Folder:
    def __init__(self, script=None, recording=RECORDING):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        self.log = self.path / "asked.jsonl"
        (self.path / "model").mkdir()
        (self.path / "recording.jsonl").write_text("".join(json.dumps(line) + "\n" for line in recording))
        (self.path / "task.py").write_text(TASK.read_text())
        self.script(**(script or {}))
        examples = [{"task": f"file{i}", "level": 0, "prompt": [{"role": "user", "content": f"P{i}"}], "reply": f"R{i}"} for i in range(5)]
        (self.path / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in examples))

    def script(self, **fields):
        (self.path / "script.json").write_text(json.dumps({"replies": [program("good")], "log": str(self.log), **fields}))

    def command(self, *arguments):
        return [PROGRAM, "train", *arguments, "--project", str(self.path / "p.cudal1")]

    def environment(self):
        own = {"CUDAL1_TRAINER": f'"{sys.executable}" "{HERE / "scripted_trainer.py"}" "{self.path / "script.json"}"',
               "CUDAL1_EVALUATOR": f'"{EVALUATOR}" "{self.path / "recording.jsonl"}" --log "{self.path / "judged.jsonl"}"',
               "XDG_CONFIG_HOME": str(self.path / "config"), "XDG_DATA_HOME": str(self.path / "share")}
        return {**os.environ, **own}

    def train(self, *arguments, status=0):
        ran = subprocess.run(self.command(*arguments), env=self.environment(), cwd=self.path, capture_output=True, text=True,
                             timeout=testrun.DEADLINE)
        assert ran.returncode == status, (ran.returncode, ran.stdout, ran.stderr)
        return ran

    def lines(self, *arguments, status=0):
        return [json.loads(line) for line in self.train(*arguments, "--json", status=status).stdout.splitlines()]

    def asked(self, kind):
        return [request for request in map(json.loads, self.log.read_text().splitlines()) if request["type"] == kind]

    def sft(self, *more, **how):
        return self.lines("sft", "--model", "model", "--out", "run", "--data", "data.jsonl", "--batch", "2", "--steps", "6", "--save-every", "2",
                          *more, **how)

    def judged(self, stage, *more):
        return self.lines(stage, "--model", "model", "--out", "run", "--tasks", "task.py", "--batch", "1", *more)

    def rows(self, query):
        with sqlite3.connect(self.path / "p.cudal1") as project:
            return project.execute(query).fetchall()


def test_supervised_steps_are_lines_and_leave_a_checkpoint():
    folder = Folder()
    *steps, last = folder.sft()
    assert [line["batch"] for line in steps] == list(range(6)) and steps[0]["stage"] == "sft" and steps[0]["loss"] == 1.0, steps
    assert last == {"state": "finished", "stage": "sft", "checkpoint": str(folder.path / "run/step-000006")}, last
    batches = folder.asked("sft")
    replies = [pair["reply"] for request in batches for pair in request["pairs"]]
    assert sorted(replies[:5]) == [f"R{i}" for i in range(5)], replies  # each once before one comes again
    assert folder.sft() == [last]  # all is done: nothing is learnt again
    assert len(folder.asked("sft")) == 6


def test_a_killed_training_goes_on_with_the_same_batches():
    whole = Folder()
    whole.sft()
    folder = Folder({"kill_at": 3})
    ran = folder.train("sft", "--model", "model", "--out", "run", "--data", "data.jsonl", "--batch", "2", "--steps", "6", "--save-every", "2",
                       status=3)
    assert "killed by a signal" in ran.stderr and "same command" in ran.stderr, ran.stderr
    *steps, last = folder.sft()
    assert [line["batch"] for line in steps] == [2, 3, 4, 5] and last["state"] == "finished", steps
    expected = [request["pairs"] for request in whole.asked("sft")]
    assert [request["pairs"] for request in folder.asked("sft")][-4:] == expected[2:]


def test_bad_input_is_refused_with_the_next_step():
    folder = Folder()
    sft = ["sft", "--model", "model", "--out", "run", "--data", "data.jsonl"]
    for arguments, said in [
        ([], "The stage is missing"), (["rl"], 'no stage "rl"'), (["sft"], "The model to train is missing"),
        (["sft", "--model", "model"], "--out DIR"), (["sft", "--model", "model", "--out", "run"], "--data"),
        (["sft", "--model", "nothing/here", "--out", "run"], "There is no such model"), ([*sft, "--steps", "0"], "--steps"),
        ([*sft, "--steps", "many"], "--steps is a whole number"), ([*sft, "--decay", "sudden"], "--decay does not know"),
        (["contrastive", "--model", "model", "--out", "run", "--group", "1"], "2 or more"),
        (["contrastive", "--model", "model", "--out", "run", "--exemplars", "best"], "bucket, random, islands"),
        (["self", "--model", "model", "--out", "run", "--preset", "paper"], "20 minutes"), (["self", "--example"], "all three stages"),
    ]:
        ran = folder.train(*arguments, status=2)
        assert said in ran.stderr, (arguments, ran.stderr)
    (folder.path / "data.jsonl").write_text('{"task": "1/1"}\n')
    assert "Line 1 of the data set" in folder.train(*sft, status=2).stderr
    held = next(i for i in range(1, 100) if is_held_out(i))
    example = {"task": f"1/{held}", "level": 1, "prompt": [{"role": "user", "content": "P"}], "reply": "R"}
    (folder.path / "data.jsonl").write_text(json.dumps(example) + "\n")
    assert f"so nothing is learned from them: 1/{held}" in folder.train(*sft, status=2).stderr
    assert not (folder.path / "run").exists()


def is_held_out(number):
    import hashlib
    return int(hashlib.sha256(f"split 717: 1/{number}".encode()).hexdigest()[:8], 16) < 2**32 / 5


def test_another_training_is_not_mixed_in():
    folder = Folder()
    folder.sft()
    ran = folder.train("sft", "--model", "model", "--out", "run", "--data", "data.jsonl", "--batch", "3", status=2)
    assert "batch is 2 there and 3 now" in ran.stderr, ran.stderr


def test_a_trainer_that_cannot_is_an_error():
    folder = Folder({"refuse": True})
    ran = folder.train("sft", "--model", "model", "--out", "run", "--data", "data.jsonl", status=2)
    assert "The model cannot be trained (scripted). Take another" in ran.stderr, ran.stderr
    folder.script(greet=2)
    ran = folder.train("sft", "--model", "model", "--out", "run", "--data", "data.jsonl", status=3)
    assert "speaks version 2" in ran.stderr, ran.stderr


def test_successes_are_learnt_from_and_a_step_without_any_is_skipped():
    folder = Folder({"replies": [program("good"), program("wrong"), "no program", program("good"), program("wrong"), program("cheat")]})
    *steps, last = folder.judged("self", "--group", "3", "--steps", "2")
    assert [line["correct"] for line in steps] == [1, 1] and steps[0]["learnt_from"] == 1, steps
    assert folder.asked("sft")[0]["pairs"][0]["tokens"] == [7, 1], folder.asked("sft")  # as they were drawn
    assert steps[1]["exploits"] == 1 and steps[1]["hacks_accepted"] == 0 and last["state"] == "finished"
    folder = Folder({"replies": [program("wrong")]})
    *steps, last = folder.judged("self", "--group", "2", "--steps", "1")
    assert steps[0]["skipped"] and steps[0]["learnt_from"] == 0 and last["state"] == "finished", steps


def test_groups_get_rewards_and_are_stored():
    folder = Folder({"replies": [program("good"), program("even"), program("wrong"), program("cheat")]})
    *steps, last = folder.judged("contrastive", "--group", "4", "--steps", "2", "--beta", "0.1", "--mean", "token")
    assert last["state"] == "finished" and steps[0]["replies"] == 4 and steps[0]["success"] == 0.5, steps
    first, second = folder.asked("grpo")
    assert [reply.get("reward", 0) for reply in first["groups"][0]["replies"]] == [2.0, 1.25, 0, 0], first
    assert first["groups"][0]["replies"][0]["logprobs"] == [-0.5, -0.5]
    assert first["settings"]["beta"] == 0.1 and first["settings"]["mean"] == "token" and folder.asked("open")[0]["reference"] == "start"
    # The second step shows what the first has found.
    assert steps[0]["exemplars_shown"] == 0 and steps[1]["exemplars_shown"] == 2, steps
    prompt = second["groups"][0]["messages"][-1]["content"]
    assert "return good" in prompt and "return even" in prompt and "return wrong" not in prompt
    assert folder.rows("SELECT COUNT(*) FROM samples")[0][0] == 8
    # Equal programs are judged once, 4 in all.
    assert sum('"type":"evaluate"' in line for line in (folder.path / "judged.jsonl").read_text().splitlines()) == 4


def test_plain_grpo_shows_no_exemplars():
    folder = Folder({"replies": [program("good"), program("even")]})
    *steps, _ = folder.judged("contrastive", "--group", "2", "--steps", "2", "--exemplars", "none", "--beta", "0")
    assert [line["exemplars_shown"] for line in steps] == [0, 0] and not folder.asked("open")[0].get("reference")
    assert "return good" not in folder.asked("grpo")[1]["groups"][0]["messages"][-1]["content"]


def test_a_share_of_prompts_shows_no_exemplars():
    """The share follows from the seed: another one has other steps without exemplars, and the same one the same."""
    def shown(share, seed="5"):
        folder = Folder({"replies": [program("good"), program("even")]})
        *steps, _ = folder.judged("contrastive", "--group", "2", "--steps", "13", "--plain-share", share, "--seed", seed)
        asked = ["return good" in request["groups"][0]["messages"][-1]["content"] for request in folder.asked("grpo")]
        assert [line["exemplars_shown"] > 0 for line in steps] == asked, steps
        return asked[1:]  # there is none to show before
    assert shown("0") == [True] * 12 and shown("1") == [False] * 12
    half = shown("0.5")
    assert 2 < sum(half) < 10 and half == shown("0.5") and half != shown("0.5", "6"), half
    wrong = Folder().train("contrastive", "--model", "model", "--out", "run", "--tasks", "task.py", "--plain-share", "1.5", status=2)
    assert "--plain-share is a share" in wrong.stderr, wrong.stderr


def test_a_great_speed_up_counts_once_it_is_confirmed():
    doubtful = [evaluation("fast", "correct", 8.0, times=1), evaluation("fast", "correct", 1.5), *RECORDING]
    folder = Folder({"replies": [program("fast"), program("wrong")]}, doubtful)
    folder.judged("contrastive", "--group", "2", "--steps", "1")
    assert folder.asked("grpo")[0]["groups"][0]["replies"][0]["reward"] == 1.5, folder.asked("grpo")
    presets = [json.loads(line).get("preset") for line in (folder.path / "judged.jsonl").read_text().splitlines() if '"fast' in line or "evaluate" in line]
    assert "quick" in presets and "standard" in presets, presets


def test_disturbed_times_have_no_reward_until_they_are_taken_again():
    busy = [evaluation("busy", "correct", 2.5, ["crowded"], times=2), evaluation("busy", "correct", 1.5), *RECORDING]
    folder = Folder({"replies": [program("busy"), program("wrong"), program("even")]}, busy)
    *steps, _ = folder.judged("contrastive", "--group", "3", "--steps", "3")
    assert [line["without_reward"] for line in steps] == [1, 1, 0], steps
    first, _, third = ([reply.get("reward", 0) for reply in request["groups"][0]["replies"]] for request in folder.asked("grpo"))
    assert first == [0, 1.25] and third == [1.5, 0, 1.25], (first, third)


def test_a_disturbed_confirmation_is_made_again():
    doubtful = [evaluation("fast", "correct", 8.0, times=1), evaluation("fast", "correct", 8.0, ["crowded"], times=1), evaluation("fast", "correct", 1.5),
                *RECORDING]
    folder = Folder({"replies": [program("fast"), program("wrong"), program("even")]}, doubtful)
    *steps, _ = folder.judged("contrastive", "--group", "3", "--steps", "2")
    assert [line["without_reward"] for line in steps] == [1, 0], steps
    assert folder.asked("grpo")[1]["groups"][0]["replies"][0]["reward"] == 1.5, folder.asked("grpo")
    asked = [json.loads(line) for line in (folder.path / "judged.jsonl").read_text().splitlines()]
    presets = [line["preset"] for line in asked if line.get("type") == "evaluate"]
    assert sorted(presets) == ["quick"] * 3 + ["standard"] * 2, presets  # not quick a second time


def test_judging_that_is_stuck_is_named_and_left_out():
    folder = Folder({"replies": [program("good"), program("wrong"), program("stuck")]})
    ran = folder.train("contrastive", "--model", "model", "--out", "run", "--tasks", "task.py", "--batch", "1", "--group", "3", "--steps", "1",
                       "--judge-timeout", "4", "--json")
    step = json.loads(ran.stdout.splitlines()[0])
    assert step["judge_timeouts"] == 1 and step["without_reward"] == 1, step
    assert "took longer than 4.0 s" in ran.stderr, ran.stderr
    assert len(folder.asked("grpo")[0]["groups"][0]["replies"]) == 2


def ahead(folder, *more, steps=5, overlap="on"):
    return ["contrastive", "--model", "model", "--out", "run", "--tasks", "task.py", "--batch", "1", "--group", "3", "--steps", str(steps), "--save-every", "1",
            "--overlap", overlap, *more]


def test_a_batch_is_drawn_ahead_where_stages_overlap():
    replies = [program("good"), program("even"), program("wrong")]
    for overlap, order, ages, drawn_at in [
        ("on", ["generate", "generate", "grpo", "generate", "grpo", "generate", "grpo", "grpo"], [0, 1, 1, 1], [0, 0, 1, 2]),
        ("off", ["generate", "grpo"] * 4, [None] * 4, [0, 1, 2, 3]), ("auto", ["generate", "grpo"] * 4, [None] * 4, [0, 1, 2, 3]),
    ]:
        folder = Folder({"replies": replies})
        *steps, last = folder.lines(*ahead(folder, steps=4, overlap=overlap))
        kinds = [json.loads(line)["type"] for line in folder.log.read_text().splitlines()]
        assert [kind for kind in kinds if kind in ("generate", "grpo")] == order, (overlap, kinds)
        assert [line.get("sampler_age") for line in steps] == ages and last["state"] == "finished", steps
        told = [request["groups"][0]["replies"][0]["logprobs"][0] for request in folder.asked("grpo")]
        assert told == [-0.5 - step / 64 for step in drawn_at], (overlap, told)
    assert "--overlap does not know" in Folder().train(*ahead(folder, overlap="often"), status=2).stderr


def test_what_was_drawn_ahead_is_learnt_from_after_a_kill():
    """The process is killed while batch 2 is learnt from and batch 3 is drawn; checkpoints are of every batch, or of every other one."""
    replies = [program("good"), program("even"), program("wrong"), program("cheat")]
    for more in ["--exemplars", "none"], ["--own-exemplars"], ["--own-exemplars", "--save-every", "2"]:
        whole = Folder({"replies": replies, "by_seed": True})
        wanted = [curve(line) for line in whole.lines(*ahead(whole, *more))]
        folder = Folder({"replies": replies, "by_seed": True, "hang_at": 2})
        process = subprocess.Popen(folder.command(*ahead(folder, *more)), env=folder.environment(), cwd=folder.path, stdout=subprocess.DEVNULL)
        testrun.until(lambda: (folder.path / "run/hung").exists(), "batch 2")
        process.kill()
        process.wait()
        *steps, last = folder.lines(*ahead(folder, *more))
        assert [curve(line) for line in steps] == wanted[2:-1] and last["state"] == "finished", (more, steps, wanted)
        assert groups_of(folder)[-3:] == groups_of(whole)[2:], more
        kept = sorted(path.name for path in (folder.path / "run/ahead").iterdir())
        assert kept[-1] == "batch-000004.json" and len(kept) <= 5, kept


def groups_of(folder):
    """What was learnt from; prompts name the folder of a task that is a file."""
    return [json.dumps(request["groups"]).replace(str(folder.path), "") for request in folder.asked("grpo")]


def curve(line):
    """What must be the same whatever time it took, and in whatever folder."""
    return {key: value for key, value in line.items() if key not in ("draw_seconds", "judge_seconds", "saved", "checkpoint")}


def test_judging_that_is_stuck_is_named_while_stages_overlap():
    folder = Folder({"replies": [program("good"), program("wrong"), program("stuck")]})
    ran = folder.train(*ahead(folder, "--judge-timeout", "3", "--json", steps=2))
    steps = [json.loads(line) for line in ran.stdout.splitlines()][:2]
    assert [line["judge_timeouts"] for line in steps] == [1, 1] and [line["correct"] for line in steps] == [1, 1], steps
    assert "took longer than 3.0 s" in ran.stderr, ran.stderr
    assert [len(request["groups"][0]["replies"]) for request in folder.asked("grpo")] == [2, 2]


def test_the_same_command_goes_on_with_judged_stages():
    replies = [program("good"), program("even"), program("wrong")]
    folder = Folder({"replies": replies, "kill_at": 1})
    folder.train("contrastive", "--model", "model", "--out", "run", "--tasks", "task.py", "--batch", "1", "--group", "3", "--steps", "3",
                 "--save-every", "1", status=3)
    *steps, last = folder.judged("contrastive", "--group", "3", "--steps", "3", "--save-every", "1")
    assert [line["batch"] for line in steps] == [1, 2] and last["state"] == "finished", steps
    assert folder.rows("SELECT COUNT(*) FROM samples")[0][0] == 9  # the step that was begun twice is stored once
    assert folder.rows("SELECT COUNT(*) FROM runs")[0][0] == 1


def test_ctrl_c_ends_it_in_good_order():
    if testrun.HOLDS_SIGNALS:
        print("not tried: the thread sanitizer holds signals back")
        return
    folder = Folder({"replies": [program("stuck")]})
    process = subprocess.Popen(folder.command("self", "--model", "model", "--out", "run", "--tasks", "task.py", "--batch", "1", "--group", "1"),
                               env=folder.environment(), cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    testrun.until(lambda: (folder.path / "judged.jsonl").exists() and "evaluate" in (folder.path / "judged.jsonl").read_text(), "judging")
    process.terminate()
    _, said = process.communicate(timeout=testrun.DEADLINE)
    assert process.returncode == 128 + 15 and "same command" in said, (process.returncode, said)


def test_two_trainings_in_one_folder_are_kept_apart():
    folder = Folder({"replies": [program("stuck")]})
    command = ["self", "--model", "model", "--out", "run", "--tasks", "task.py", "--batch", "1", "--group", "1", "--steps", "1"]
    process = subprocess.Popen(folder.command(*command), env=folder.environment(), cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    testrun.until(lambda: (folder.path / "judged.jsonl").exists() and "evaluate" in (folder.path / "judged.jsonl").read_text(), "judging")
    ran = folder.train(*command, status=3)
    assert f"Another process is training in this folder: process {process.pid} " in ran.stderr and "training.lock" in ran.stderr, ran.stderr
    assert len(folder.asked("open")) == 1  # its trainer was not even started
    process.kill()  # which leaves the lock behind
    process.communicate(timeout=testrun.DEADLINE)
    folder.script(replies=[program("good")])
    folder.train(*command)


def test_a_training_goes_back_to_an_older_checkpoint():
    folder = Folder()
    folder.sft()
    folder.sft("--from", "2")
    assert [request.get("checkpoint", "") for request in folder.asked("open")] == ["", "step-000002"]
    assert "--from" in folder.train("sft", "--model", "model", "--out", "run", "--data", "data.jsonl", "--from", "-2", status=2).stderr


class Matrix(Folder):
    """Two models, one of them trained for each seed; a task to learn from and a held-out one."""

    def __init__(self, **fields):
        super().__init__(fields)
        (self.path / "held.py").write_text(TASK.read_text().replace("import torch\n", "import torch  # held out\n", 1))
        self.plan = {
            "models": [{"name": "base", "path": "model"}, {"name": "tuned", "from": "base", "stage": "self", "steps": 2, "batch": 1, "group": 2}],
            "rows": [{"name": name, "policy": f"model:{model}", "method": {"method": "vanilla", "samples": 2, "repair": False}}
                     for name, model in [("Vanilla", "base"), ("Stage 2", "tuned")]],
            "tasks": ["task.py"], "held_out": ["held.py"], "seeds": [1, 2], "out": "models"}

    def script(self, **fields):
        answers = {"step-": [program("good"), program("wrong")], "": [program("wrong"), program("even")]}
        super().script(answers=answers, model_log=str(self.path / "models.jsonl"), **fields)

    def environment(self):
        return {**super().environment(), "CUDAL1_MODEL": f'"{sys.executable}" "{HERE / "scripted_model.py"}" "{self.path / "script.json"}"'}

    def run(self, *arguments, status=0):
        (self.path / "plan.json").write_text(json.dumps(self.plan))
        ran = subprocess.run([PROGRAM, "experiment", "plan.json", "--project", str(self.path / "p.cudal1"), *arguments], env=self.environment(),
                             cwd=self.path, capture_output=True, text=True, timeout=testrun.DEADLINE)
        assert ran.returncode == status, (ran.returncode, ran.stdout, ran.stderr)
        return ran


def test_an_experiment_trains_its_models_and_tells_held_out_tasks_apart():
    folder = Matrix()
    out = json.loads(folder.run("--json").stdout)
    assert out["done"] == out["planned"] == 8, out  # two rows, tasks and seeds
    rows = {(row["name"], row["split"]): row for row in out["rows"]}
    assert set(rows) == {(name, split) for name in ("Vanilla", "Stage 2") for split in (None, "train", "held_out")}
    for split in ("train", "held_out"):
        assert rows["Vanilla", split]["mean"] == 1.25 and rows["Stage 2", split]["mean"] == 2.0, rows
        assert rows["Stage 2", split]["mean_interval"] == [2.0, 2.0] and rows["Stage 2", split]["runs"] == 2, rows
    # The stage learnt once for each seed, from the task that is not held out.
    assert len(folder.asked("open")) == 2 and [request["seed"] for request in folder.asked("open")] == [1, 2], folder.asked("open")
    asked = [json.loads(line) for line in (folder.path / "models.jsonl").read_text().splitlines()]
    assert {"seed-1/step-" in one["path"] or "seed-2/step-" in one["path"] for one in asked} == {True, False}
    assert "# held out" not in json.dumps([request["messages"] for request in folder.asked("generate")])
    again = json.loads(folder.run("--json").stdout)
    assert again["rows"] == out["rows"] and len(folder.asked("open")) == 2  # nothing is made twice


def test_an_experiment_goes_on_where_its_training_was_killed():
    folder = Matrix(kill_at=1)
    said = folder.run(status=3).stderr
    assert "killed by a signal" in said and "0 of 8 runs are done" in said, said
    # Each training is killed once, so the second seed's is as well.
    folder.run(status=3)
    assert json.loads(folder.run("--json").stdout)["done"] == 8


def test_a_finished_stage_whose_examples_have_changed_is_refused():
    folder = Matrix()
    data = (folder.path / "data.jsonl").read_text()
    folder.plan["models"][1] = {"name": "tuned", "from": "base", "stage": "sft", "data": "data.jsonl", "steps": 2, "batch": 1}
    assert json.loads(folder.run("--json").stdout)["done"] == 8
    learnt = len(folder.asked("open"))
    (folder.path / "data.jsonl").write_text(data + json.dumps({"task": "file9", "level": 0, "prompt": [{"role": "user", "content": "P"}], "reply": "R"}) + "\n")
    said = folder.run(status=2).stderr
    assert "tuned has changed since it was trained" in said and "put the file back" in said, said
    (folder.path / "data.jsonl").write_text(data)
    assert json.loads(folder.run("--json").stdout)["done"] == 8 and len(folder.asked("open")) == learnt


def test_wrong_models_of_an_experiment_are_said_before_anything_begins():
    for change, said in [
        ({"models": [{"name": "base", "path": "nothing/here"}], "rows": [{"policy": "model:base"}]}, "no such model"), ({"rows": [{"policy": "model:other"}]}, 'no model "other"'),
        ({"models": [{"name": "base", "path": "model"}, {"name": "tuned", "from": "base", "stage": "self", "stepps": 1}]}, 'no field "stepps"'),
        ({"models": [{"name": "base", "path": "model"}, {"name": "tuned", "from": "nobody", "stage": "self"}]}, "which no model before it"),
        ({"models": [{"name": "base", "path": "model"}, {"name": "tuned", "from": "base", "stage": "self", "tasks": "held.py"}]}, "Held-out tasks"),
    ]:
        folder = Matrix()
        folder.plan.update(change)
        ran = folder.run(status=2)
        assert said in ran.stderr, (change, ran.stderr)
        assert not folder.log.exists() and not (folder.path / "models").exists()


def test_checkpoints_are_compared_at_one_and_at_several_samples():
    folder = Matrix()
    for name in ("model", "run/step-000002", "run/step-000004"):
        (folder.path / name).mkdir(parents=True, exist_ok=True)
        (folder.path / name / "config.json").write_text("{}")
    command = [PROGRAM, "train", "compare", "model", "run", "--tasks", "task.py,held.py", "--samples", "2", "--json", "--project",
               str(folder.path / "p.cudal1")]
    ran = subprocess.run(command, env=folder.environment(), cwd=folder.path, capture_output=True, text=True, timeout=testrun.DEADLINE)
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    before, second, fourth = json.loads(ran.stdout)["checkpoints"]
    assert before["tasks"] == 2 and before["success_at_1"]["estimate"] == 0.5 and before["success_at_n"]["estimate"] == 1.0, before
    assert before["reward"]["estimate"] == 0.625 and before["best_reward_at_n"]["estimate"] == 1.25, before
    assert second["checkpoint"].endswith("run/step-000002") and second["best_reward_at_n"]["estimate"] == 2.0, second
    asked = len((folder.path / "models.jsonl").read_text().splitlines())
    again = subprocess.run(command, env=folder.environment(), cwd=folder.path, capture_output=True, text=True, timeout=testrun.DEADLINE)
    assert json.loads(again.stdout) == json.loads(ran.stdout) and len((folder.path / "models.jsonl").read_text().splitlines()) == asked


testrun.run(globals())
