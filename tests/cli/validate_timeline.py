# SPDX-License-Identifier: GPL-3.0-or-later
# `cudal1 timeline` with the real evaluator: its JSON against the published schema, the trace that it writes, candidates
# by file and by number, and what it refuses.
#
# usage: validate_timeline.py SCHEMA CUDAL1 EVALUATOR TASK CANDIDATE
# Exit status 77, with the reason, where the validator or the evaluator is missing.
import copy
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed")
    sys.exit(77)

schema_path, cudal1, evaluator, task, candidate = sys.argv[1:]
if not os.access(evaluator, os.X_OK):
    print(f"skipped: {evaluator} is not built")
    sys.exit(77)
with open(schema_path) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "trace.json")

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([cudal1, *arguments, "--project", os.path.join(folder, "p.cudal1"), "--device", "cpu"],
                              env={**os.environ, "CUDAL1_EVALUATOR": evaluator}, capture_output=True, text=True)

    done = run("timeline", task, candidate, "--json", "-o", trace, "--calls", "2")
    print(done.stderr, end="")
    assert done.returncode == 0, done.returncode
    numbers = json.loads(done.stdout)
    with open(trace) as file:
        events = json.load(file)["traceEvents"]

    alone = run("timeline", task, "-o", trace)
    assert alone.returncode == 0, alone.stderr
    assert "aten::" in alone.stdout and trace in alone.stdout, alone.stdout
    assert "candidate" not in alone.stdout.lower(), alone.stdout

    stored = json.loads(run("evaluate", task, candidate, "--json", "--preset", "quick").stdout)["variant"]
    by_number = run("timeline", task, str(stored), "--json", "-o", trace)
    assert by_number.returncode == 0, by_number.stderr
    assert json.loads(by_number.stdout)["candidate_name"] == f"variant {stored}"

    kept = json.loads(run("timeline", "list", "--json").stdout)["timelines"]
    assert [one["variant"] for one in kept] == [stored, None, stored], kept
    assert kept[2]["timeline"] == numbers["timeline"] and kept[0]["calls"] == 3, kept
    again = os.path.join(folder, "again.json")
    assert run("timeline", "export", str(numbers["timeline"]), "-o", again).returncode == 0
    with open(again) as file:
        assert json.load(file)["traceEvents"] == events
    shown = [json.loads(run("timeline", "show", of, "--json").stdout)["sides"] for of in (str(numbers["timeline"]), again)]
    assert shown[0] == shown[1], shown
    assert shown[0][0]["rows"][0]["total_ns"] == numbers["reference"]["operators"][0]["total_ns"], shown[0][0]["rows"][0]
    assert "aten::" in run("timeline", "show", again).stdout
    assert json.loads(run("timeline", "import", again, str(stored), "--json").stdout)["timeline"] == 4
    assert json.loads(run("timeline", "show", "4", "--json").stdout)["sides"] == shown[0]
    assert "is of a candidate too" in run("timeline", "import", again).stderr
    unkept = run("timeline", task, "-o", trace, "--no-store", "--json")
    assert json.loads(unkept.stdout)["timeline"] is None
    assert len(json.loads(run("timeline", "list", task, "--json").stdout)["timelines"]) == 4

    for arguments, status, says in [(("list", "1/1", "x"), 2, "TASK"), (("export", "77"), 2, "no timeline 77"), (("export", "x"), 2, "by its number"),
                                    (("show", candidate), 2, "byte 0"), (("show", again, "--rows", "0"), 2, "--rows"),
                                    ((task, "999"), 2, "999"), ((task, "none.py"), 2, "none.py"), ((task, task), 2, "ModelNew"),
                                    ((task, "--calls", "0"), 2, "--calls"), ((task, "--calls", "many"), 2, "--calls"),
                                    ((task, "-o", os.path.join(folder, "none", "x.json")), 3, "No such file"), ((task, "-o", "-"), 2, "timeline export")]:
        refused = run("timeline", *arguments)
        assert refused.returncode == status and says in refused.stderr, (arguments, refused.returncode, refused.stderr)
        assert refused.stdout == "", refused.stdout

problems = [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(numbers)]
assert not problems, "\n".join(problems)
assert numbers["reference"]["calls"] == numbers["candidate"]["calls"] == 2
assert numbers["reference"]["outside"]["count"] == 0, numbers["reference"]["outside"]
windows = [event for event in events if event.get("cat") == "window" and event["name"].startswith("call ")]
assert [window["pid"] for window in windows] == [1, 1, 2, 2], windows
first = {window["pid"]: window["ts"] for window in reversed(windows)}
assert first[1] == first[2], first
for side, pid in (("reference", 1), ("candidate", 2)):
    row = numbers[side]["operators"][0]
    drawn = [event for event in events if event["ph"] == "X" and event["pid"] == pid and event["name"] == row["name"]]
    assert len(drawn) == row["count"], (row, len(drawn))

# A schema that accepts anything would pass all of the above.
damages = {
    "no reference": lambda n: n.pop("reference"),
    "a candidate that is a word": lambda n: n.update(candidate="fast"),
    "no window": lambda n: n["reference"].update(windows=[]),
    "unknown category": lambda n: n["reference"]["operators"][0].update(category="magic"),
    "negative time": lambda n: n["reference"].update(busy_ns=-1),
    "two-dimensional grid": lambda n: n["reference"]["operators"][0].update(
        launch={"grid": [1, 1], "block": [1, 1, 1], "registers": 1, "static_shared_bytes": 0, "dynamic_shared_bytes": 0}),
    "another device": lambda n: n["device"].update(name="tpu"),
}
for name, damage in damages.items():
    broken = copy.deepcopy(numbers)
    damage(broken)
    assert not validator.is_valid(broken), f"the schema accepts: {name}"
print("valid, and", len(damages), "damages refused")
