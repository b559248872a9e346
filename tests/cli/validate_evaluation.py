# SPDX-License-Identifier: GPL-3.0-or-later
# Validates the output of `cudal1 evaluate --json` against the published schema, and that the schema refuses damage.
#
# usage: validate_evaluation.py SCHEMA CUDAL1 EVALUATOR_COMMAND TASK CANDIDATE VERDICT [OPTION...]
# The options are those of `cudal1 evaluate`, instead of `--preset quick`.
# Exit status 77, with the reason, where the validator or the evaluator is missing.
import copy
import json
import os
import shlex
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed")
    sys.exit(77)

schema_path, cudal1, evaluator, task, candidate, verdict, *options = sys.argv[1:]
program = shlex.split(evaluator)[0]
if not os.access(program, os.X_OK):
    print(f"skipped: {program} is not built")
    sys.exit(77)

with open(schema_path) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

with tempfile.TemporaryDirectory() as folder:
    project = os.path.join(folder, "project.cudal1")
    command = [cudal1, "evaluate", task, candidate, "--json", "--project", project, "--device", "cpu", *(options or ["--preset", "quick"])]
    done = subprocess.run(command, env={**os.environ, "CUDAL1_EVALUATOR": evaluator}, capture_output=True, text=True)
print(done.stderr, end="")
evaluation = json.loads(done.stdout)
problems = [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(evaluation)]
assert not problems, "\n".join(problems)
assert evaluation["verdict"] == verdict, (evaluation["verdict"], evaluation["reasons"])
assert done.returncode == (0 if verdict == "correct" else 1), done.returncode

# A schema that accepts anything would pass all of the above.
damages = {
    "no verdict": lambda e: e.pop("verdict"),
    "unknown verdict": lambda e: e.update(verdict="fine"),
    "reason without code": lambda e: e["reasons"].append({"text": "x", "evidence": ""}),
    "clock without interval": lambda e: e["speedup"].update(wall={"estimate": 2.0}),
    "text for a number": lambda e: e["seconds"].update(total="long"),
    "another device": lambda e: e["device"].update(name="tpu"),
    "wrong without a reason": lambda e: e.update(verdict="incorrect", reasons=[]),
    "samples of text": lambda e: e["pairs"].append({"reference_ns": ["1"]}),
}
if "paper" in options:
    assert evaluation["paper"]["rounds"] >= 7, evaluation["paper"]
    damages["a rule missing"] = lambda e: e["paper"]["rules"].pop()
    damages["an unknown rule"] = lambda e: e["paper"]["rules"][0].update(rule="silence")
    damages["variance of text"] = lambda e: e["paper"]["wall"].update(variance="low")
    damages["no samples"] = lambda e: e["paper"].pop("samples")
else:
    assert evaluation["paper"] is None, evaluation["paper"]
for name, damage in damages.items():
    broken = copy.deepcopy(evaluation)
    damage(broken)
    assert not validator.is_valid(broken), f"the schema accepts: {name}"
print("valid:", verdict, "and", len(damages), "damages refused")
