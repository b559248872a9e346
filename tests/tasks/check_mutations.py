# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that `cudal1 tasks check` tells wrong tasks from right ones: mutated copies of bundled tasks, tasks that raise,
hang or crash, tasks without facts and facts without a task.

Exit status: 0 all were told apart, 1 something was not.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Edits that a careless author could make, each with the facts' field that must object. What none of these may do is pass.
MUTATIONS = [
    ((1, 1), "N = 2048", "N = 1024", "inputs"),
    ((1, 12), "torch.diag(A) @ B", "A.unsqueeze(1) * B", "operators"),
    ((1, 14), "A = torch.triu(torch.randn(N, N))", "A = torch.randn(N, N)", "input_generators"),
    ((1, 36), "eps=1e-5", "eps=1e-6", "operators"),
    ((1, 47), "keepdim=True", "keepdim=False", "outputs"),
    ((1, 66), "bias=False", "bias=True", "parameters"),
    ((1, 100), "def forward(self, predictions, targets):", "def forward(self, predictions, targets, margin=1):",
     "forward_parameters"),
    ((2, 1), "nn.Parameter(torch.randn(bias_shape))", "nn.Parameter(torch.zeros(bias_shape))", "initialisation"),
    ((2, 12), "multiplier = 2.0", "multiplier = 2", "init_inputs"),
    ((2, 14), "x = x / 2", "x = x / 2.0", "operators"),
    ((2, 76), "self.gemm = ", "self.register_buffer('scale', torch.ones(1)); self.gemm = ", "buffers"),
    ((3, 1), "nn.ReLU()", "nn.ReLU(inplace=True)", "modules"),
    ((3, 5), "def __init__(self, num_classes)", "def __init__(self, classes)", "init_parameters"),
    ((3, 5), "def forward(self, x):", "def forward(self, x):\n        x = x + 0", "operators"),
    ((2, 33), "momentum=0.1", "momentum=0.01", "operators"),
    ((2, 33), "self.gemm = nn.Linear(in_features, out_features)\n        self.scale = nn.Parameter(torch.randn(scale_shape))",
     "scale = torch.randn(scale_shape)\n        self.gemm = nn.Linear(in_features, out_features)\n"
     "        self.scale = nn.Parameter(scale)", "initialisation"),
    ((3, 33), "[x, self.hidden]", "[self.hidden, x]", "operators"),
    ((3, 41), "seq_len = 512", "seq_len = 511", "operators"),
    ((3, 44), "NewGELU()", "nn.GELU(approximate='tanh')", "modules"),
    ((3, 48), "torch.tril(torch.ones(length, length, device=x.device, dtype=torch.bool))",
     "torch.tril(torch.ones(length, length, device=x.device)).bool()", "operators"),
]


# What stops a task at its first call, with what must be said of it.
FAILURES = [
    ((1, 2), "    while True:\n        pass\n", r"running it on shapes takes more than 10 s"),
    ((1, 3), "    raise ValueError('no such size')\n", r"line \d+: ValueError: no such size"),
    ((1, 4), "    import os\n    os.abort()\n", r".+"),
    ((1, 5), "    return [missing_name]\n", r"line \d+: NameError: .*missing_name.*"),
]


def checked(program, *arguments):
    """(exit status, standard output) of `tasks check`."""
    done = subprocess.run([program, "tasks", "check", *map(str, arguments)], stdout=subprocess.PIPE, text=True, timeout=500)
    return done.returncode, done.stdout


def task_file(folder, key):
    return next((folder / f"level{key[0]}").glob(f"{key[1]}_*.py"))


def copied(original, folder, change):
    """A copy in `folder`/levelN with its text changed; None when the change changes nothing."""
    source = original.read_text(encoding="utf-8")
    text = change(source)
    if text == source:
        return None
    copy = folder / original.parent.name / original.name
    copy.parent.mkdir(parents=True)
    copy.write_text(text, encoding="utf-8")
    return copy


def mutated(source, old, new, field):
    source = source.replace(old, new, 1)
    # num_classes and the like are used further down, so a renamed parameter keeps its old name as an alias.
    if field == "init_parameters":
        source = source.replace("super().__init__()", "super().__init__(); num_classes = classes", 1)
    return source


def wrong_tasks_are_told_apart(program, tasks, scratch):
    cases = []  # label, file, pattern that one of the problems must match; no pattern: the task is right
    for n, (key, old, new, field) in enumerate(MUTATIONS):
        copy = copied(task_file(tasks, key), scratch / f"mutation{n}", lambda text: mutated(text, old, new, field))
        cases.append((f"{key[0]}/{key[1]} {old!r} -> {new!r}", copy, field + " has .*"))
    for n, (key, body, says) in enumerate(FAILURES):
        start = "def get_inputs():\n"
        copy = copied(task_file(tasks, key), scratch / f"failure{n}", lambda text: text.replace(start, start + body, 1))
        cases.append((f"{key[0]}/{key[1]} with {body.strip()!r}", copy, says))
    cases.append(("1/6 as it is, after all those", task_file(tasks, (1, 6)), None))
    for label, copy, _ in cases:
        if not copy:
            return [f"{label}: the text to change is not there"]
    status, output = checked(program, "--json", "--limit", "10", *[copy for _, copy, _ in cases])
    rows = json.loads(output)["tasks"]
    wrong = [] if status == 1 and len(rows) == len(cases) else [f"exit status {status}, {len(rows)} of {len(cases)} rows"]
    for (label, _, says), row in zip(cases, rows):
        good = any(re.fullmatch(says, p, re.DOTALL) for p in row["problems"]) if says else row["ok"]
        print(f"{'ok  ' if good else 'FAIL'} {label}", *row["problems"], sep="\n     ", flush=True)
        if not good:
            wrong.append(label)
    return wrong


def suite_and_facts_must_cover_each_other(program, tasks, scratch):
    suite = scratch / "suite"
    for key in ((1, 1), (1, 2)):
        original = task_file(tasks, key)
        (suite / "level1").mkdir(parents=True, exist_ok=True)
        (suite / "level1" / original.name).write_bytes(original.read_bytes())
    # Facts that the verb printed are facts that it takes.
    status, facts = checked(program, "--print", "1/1", "1/3")
    (suite / "facts.jsonl").write_text(facts, encoding="utf-8")
    if status != 0 or [json.loads(line)["id"] for line in facts.splitlines()] != [1, 3]:
        return [f"--print: exit status {status}, {facts[:200]!r}"]
    status, output = checked(program, "--suite", suite, "--json")
    told = {row["id"]: row["problems"] for row in json.loads(output)["tasks"]}
    expected = {"1/1": [], "1/2": ["it has no facts"], "1/3": ["there are facts of it, but no task"]}
    return [] if status == 1 and told == expected else [f"suite: exit status {status}, {told}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="cudal1")
    parser.add_argument("--tasks", required=True, type=pathlib.Path, help="folder that holds level1, level2, ...")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = [*wrong_tasks_are_told_apart(options.program, options.tasks, pathlib.Path(folder)),
                 *suite_and_facts_must_cover_each_other(options.program, options.tasks, pathlib.Path(folder))]
    print(f"{len(wrong)} not told apart", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
