# SPDX-License-Identifier: GPL-3.0-or-later
"""Coding agents from outside: `cudal1 optimize --policy agent:NAME` with a script as the agent and a recorded evaluator as the judge.

usage: check_agents.py CUDAL1 REPLAY_EVALUATOR
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from testrun import DEADLINE, run, until  # noqa: E402
SUITE = HERE.parent / "cli" / "data" / "suite"
KEY = "sk-Zq81mmVeryPrivate77xKw"

WALL = {"estimate": 2.118, "low": 2.05, "high": 2.2, "reference_ns": 2118.0, "candidate_ns": 1000.0}
RULES = [
    next(json.loads(line) for line in (SUITE.parent / "optimize.jsonl").read_text().splitlines() if '"on": "graph"' in line),
    {"on": "evaluate", "candidate_contains": "# wrong",
     "reply": {"verdict": "incorrect", "reasons": [{"code": "wrong_values", "text": "3 of 4 values differ", "evidence": ""}]}},
    {"on": "evaluate", "candidate_contains": "# hang", "act": "hang"},
    {"on": "evaluate", "reply": {"verdict": "correct", "speedup": {"wall": WALL}, "trials": {"run": 20, "passed": 20}}},
]


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Place:
    """A folder with a project, settings, a recording and a temporary folder of its own."""

    def __init__(self):
        self.kept = tempfile.TemporaryDirectory(prefix="ca-")
        self.folder = pathlib.Path(self.kept.name)
        self.program, self.replay = map(os.path.abspath, sys.argv[1:3])
        (self.folder / "recording.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in RULES))
        self.notes_file = self.folder / "notes.jsonl"
        self.tmp = self.folder / "tmp"
        self.tmp.mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.kept.cleanup()

    def environment(self):
        return {**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config"), "TMPDIR": str(self.tmp), "AGENT_KEY": KEY, "OTHER_SECRET": KEY,
                "CUDAL1_EVALUATOR": f"{self.replay} {self.folder / 'recording.jsonl'} --log {self.folder / 'log.jsonl'}"}

    def project(self):
        return self.folder / "project.cudal1"

    def command(self, verb, *options):
        return [self.program, *verb.split(), "--project", str(self.project()), "--suite", str(SUITE), *options]

    def run(self, verb, *options, status=0):
        ran = subprocess.run(self.command(verb, *options), env=self.environment(), capture_output=True, text=True, timeout=DEADLINE)
        self.said = ran.stdout + ran.stderr
        assert ran.returncode == status, f"{verb} {options}: {ran.returncode}\n{self.said}"
        return ran.stdout

    def add(self, mode, *options):
        self.run("models add", mode, "--agent", f"{sys.executable} -B {HERE / 'scripted_agent.py'} {mode} {self.notes_file}", *options)

    def optimize(self, policy, *options, status=0):
        return self.run("optimize", "1/1", "--policy", policy, "--seed", "5", "--rounds", "1", *options, status=status)

    def begin(self, policy, *options):
        return subprocess.Popen(self.command("optimize", "1/1", "--policy", policy, "--seed", "5", "--rounds", "1", *options), env=self.environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def notes(self):
        out = {}
        for line in self.notes_file.read_text().splitlines() if self.notes_file.exists() else []:
            out.update(json.loads(line))
        return out

    def samples(self):
        return json.loads(self.run("samples", "--json"))["samples"]

    def sample(self, number):
        return json.loads(self.run("samples show", str(number), "--json"))

    def nothing_left(self):
        assert not list(self.tmp.glob("cudal1-agent-*")), "the workspace is still there"


def test_an_agent_solves_a_task_through_the_protocol():
    with Place() as place:
        place.add("solve", "--env", "AGENT_KEY", "--evaluations", "4")
        place.optimize("agent:solve")
        assert "ended by itself, after 2 evaluations" in place.said, place.said
        notes = place.notes()
        assert notes["tools"] == ["evaluate", "show_task", "variants", "compare", "timeline"] and notes["resources"], notes
        assert notes["mode"] == "0o700" and notes["reference"] and notes["best"] == 0, notes
        for name in ("TASK.md", "JUDGE.md", "reference.py", "best/README.md", ".mcp.json", "opencode.json", ".gemini/settings.json", "judge"):
            assert name in notes["files"], name
        first, second = notes["first"], notes["second"]
        assert first["verdict"] == "incorrect" and first["reasons"][0]["text"] == "3 of 4 values differ" and first["evaluations_left"] == 3, first
        assert second["verdict"] == "correct" and second["interval"]["low"] == 2.05 and second["reward"] == 2.11, second
        assert notes["compared"]["refused"] and "no variant 999" in notes["foreign"]["refused"], "a wrong one has no time"
        assert "file of the workspace" in notes["outside"]["refused"] and "no file none.py" in notes["none"]["refused"], notes
        assert "two ways" in notes["both"]["refused"] and "Unknown tool" in notes["other"]["refused"], notes
        assert [one["verdict"] for one in notes["variants"]["variants"]] == ["correct", "incorrect"], notes["variants"]
        # What the judge found of each is stored, with lineage and transcript.
        one, two = place.samples()
        assert (one["verdict"], two["verdict"]) == ("incorrect", "correct") and two["reward"] == 2.11, (one, two)
        assert one["policy"] == two["policy"] == "agent: solve" and one["method"] == "agent" and one["policy_version"] == "scripted agent 1", one
        assert two["parent"] == one["sample"] and (one["turn"], two["turn"]) == (0, 1) and one["variant"] == first["variant"], (one, two)
        texts = [place.sample(number["sample"]) for number in (one, two)]
        assert "try a first version" in texts[0]["reply"] and "evaluation 1 of 4: new.py" in texts[0]["reply"], texts[0]["reply"]
        assert "That was incorrect" in texts[1]["reply"] and "It is correct" in texts[1]["reply"] and "ended by itself" in texts[1]["reply"], texts[1]["reply"]
        assert "[key]" in texts[1]["reply"] and "# Make this PyTorch module faster" in texts[0]["prompt"], texts[1]
        place.nothing_left()
        for path in place.folder.rglob("*"):
            if path.is_file() and path != place.notes_file:
                assert KEY.encode() not in path.read_bytes(), f"the key is in {path}"
        # The next run shows the agent what is there.
        place.notes_file.unlink()
        place.optimize("agent:solve", "--fresh")
        assert place.notes()["best"] == 1 and place.samples()[2]["exemplars"] == [second["variant"]], place.samples()


def test_with_the_library_beside_it():
    with Place() as place:
        place.add("solve")
        place.optimize("library,agent:solve")
        samples = place.samples()
        by = {name: [one for one in samples if one["policy"] == name] for name in ("agent: solve", "technique library")}
        assert len(by["agent: solve"]) == 2 and by["technique library"] and len(samples) == sum(map(len, by.values())), samples
        assert "ended by itself" in place.sample(by["agent: solve"][1]["sample"])["reply"]


def test_the_budget_of_evaluations():
    with Place() as place:
        place.add("budget", "--evaluations", "2")
        place.optimize("agent:budget")
        assert len(place.samples()) == 2, place.samples()
        answers = [json.loads(line)["answer"] for line in place.notes_file.read_text().splitlines()]
        assert [one.get("evaluations_left") for one in answers[:2]] == [1, 0], answers
        assert all("budget of 2 evaluations is used up" in one["refused"] for one in answers[2:]) and len(answers) == 5, answers


def test_the_budget_of_time_ends_all_of_it():
    with Place() as place:
        place.add("hang", "--minutes", "0.02")
        begun = time.monotonic()
        place.optimize("agent:hang")
        assert time.monotonic() - begun < 20 and "were used up" in place.said, place.said
        notes = place.notes()
        assert not alive(notes["agent"]) and not alive(notes["child"]), "it is still there"
        [one] = place.samples()
        assert one["verdict"] == "unusable" and "had nothing judged. Its 1" in one["unusable"], one
        assert "I hang." in place.sample(one["sample"])["reply"]
        place.nothing_left()


def test_a_daemon_is_ended_too():
    with Place() as place:
        place.add("daemon")
        place.optimize("agent:daemon")
        assert not alive(place.notes()["daemon"]), "the daemon is still there"


def test_each_end_is_said():
    cases = {"fail": "ended with status 3", "nothing": "ended by itself", "die": "killed by signal 11"}
    for mode, why in cases.items():
        with Place() as place:
            place.add(mode)
            place.optimize("agent:" + mode)
            assert why in place.said, place.said
            [one] = place.samples()
            assert one["verdict"] == "unusable" and why in one["unusable"] and one["reward"] == 0, one


def test_a_program_that_is_not_there():
    with Place() as place:
        place.run("models add", "ghost", "--agent", "no-such-agent {prompt}")
        assert "was not found" in place.said, place.said
        place.optimize("agent:ghost", status=2)
        assert "no-such-agent" in place.said and "--replace" in place.said, place.said
        place.run("models test", "ghost", status=2)
        place.optimize("agent:nobody", status=2)
        assert "no model nobody" in place.said, place.said


def test_an_agent_without_the_protocol():
    with Place() as place:
        place.add("shell")
        place.optimize("agent:shell")
        lines = [json.loads(line) for line in place.notes_file.read_text().splitlines()]
        assert lines[0]["status"] == 0 and lines[0]["answer"]["verdict"] == "correct", lines
        assert lines[1]["status"] == 1 and "no file none.py" in lines[1]["answer"], lines


def test_it_has_no_other_way_to_the_project():
    with Place() as place:
        place.add("spy")
        place.optimize("agent:spy")
        notes = place.notes()
        assert notes["environment"] == {}, notes
        hidden = "hidden from the agent" not in place.sample(place.samples()[0]["sample"])["reply"]
        if hidden: # where the kernel allows it
            assert notes["bytes"] == 0 and True not in notes["environs"], notes
        else:
            print("the kernel allows no view of its own: " + place.said)


def test_stop_ends_it_at_once():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Place() as place:
            place.add("hang")
            run = place.begin("agent:hang")
            notes = until(lambda: place.notes() or None, "the agent has not begun")
            run.send_signal(number)
            said = run.communicate(timeout=DEADLINE)[0]
            assert run.returncode == 128 + number, said
            until(lambda: not alive(notes["agent"]) and not alive(notes["child"]), "it is still there")
            place.nothing_left()


def test_a_killed_run_goes_on():
    with Place() as place:
        place.add("judge_and_hang", "--evaluations", "5")
        run = place.begin("agent:judge_and_hang")
        notes = until(lambda: place.notes() or None, "nothing was judged")
        until(lambda: (place.folder / "log.jsonl").read_text().count("evaluate") >= 2, "the second was not asked for")
        run.kill()
        run.communicate(timeout=DEADLINE)
        until(lambda: not alive(notes["agent"]), "the agent has outlived its run")
        samples = place.samples()
        assert [one["verdict"] for one in samples] == ["correct", None], samples
        # The rest of the queue first, then a new session with the evaluations that are left.
        (place.folder / "recording.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in RULES if rule.get("act") != "hang"))
        place.notes_file.unlink()
        place.optimize("agent:judge_and_hang")
        assert "Resuming run" in place.said, place.said
        samples = place.samples()
        assert [one["verdict"] for one in samples[:2]] == ["correct", "correct"], samples
        assert place.notes()["answer"]["evaluations_left"] == 2, place.notes()


def test_models():
    with Place() as place:
        for name in ("claude", "codex", "gemini", "gptme", "opencode"):
            place.run("models add", name, "--agent", name)
        place.run("models add", "mine", "--agent", "sh {workspace}", "--shell", "--minutes", "2.5", "--evaluations", "3", "--env", "A,B")
        listed = json.loads(place.run("models list", "--json"))["models"]
        assert [one["kind"] for one in listed] == ["agent"] * 6 and listed[0]["command"].startswith("claude -p {prompt} --mcp-config"), listed
        assert listed[5]["variables"] == ["A", "B"] and listed[5]["minutes"] == 2.5 and listed[5]["evaluations"] == 3, listed[5]
        place.run("models add", "python", "--agent", sys.executable + " x.py")
        tested = json.loads(place.run("models test", "python", "--json"))
        assert tested["status"] == 0 and tested["version"].startswith("Python 3"), tested
        place.run("models remove", "python")
        for bad in (["--agent", ""], ["--agent", "x {nothing}"], ["--agent", "x", "--minutes", "0"], ["--agent", "x", "--evaluations", "0"],
                    ["--agent", "x", "--env", "A=b"], ["--agent", "x", "--url", "http://x"], ["--minutes", "3"]):
            place.run("models add", "bad", *bad, status=2)
        place.run("optimize", "1/1", "--policy", "endpoint:mine", status=2)
        assert "is a coding agent" in place.said, place.said


if __name__ == "__main__":
    run(globals())
