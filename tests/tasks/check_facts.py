# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that task files are the tasks they claim to be, against recorded facts, without computing anything.

Each task file is imported and run on torch's meta device (shapes and dtypes only, so no memory to speak of) while every
ATen operator is recorded: once for its inputs, once for its construction, once for one forward pass in training mode
without gradients. What was recorded must equal the facts exactly, down to int against float and the last bit of a bound.

How operators are written down, in the facts and here:
- [name, positional arguments, {keyword arguments, "out": result}]; the name is without "aten::" and, for the
  overload called "default", without overload.
- A tensor is "[2,3]" for float32 and "int64[2,3]" otherwise. Arguments left at their schema defaults are absent: that is how
  the dispatcher passes them. Of the keyword arguments only dtype and memory_format count: device and layout are the
  recording's own, generators have no value.
- Infinities, which JSON has no number for, are "inf" and "-inf".
- lift_fresh, which torch.tensor(...) in a model runs on the CPU and not on the meta device, is left out.
- Entries that repeat in a list of operators, arguments or results are folded as {"repeat": n, "block": [...]}. Where to
  fold is a choice, so both sides are compared unfolded.
- An initialisation keeps what gives a value to memory: operators that write in place, factories (no tensor argument) other
  than the empty ones, and the triangular masks. Views, copies and arithmetic on the way to a buffer are left out.

A module without children is written as its repr, and by the bare name of its class if the task file defines that class.

Exit status: 0 all equal, 1 something differs, 2 wrong use, 77 this Python has no torch (a skip).
"""
import argparse
import functools
import importlib.util
import inspect
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # no __pycache__ beside the task files

try:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError as missing:
    print(f"skipped: {sys.executable} has no torch ({missing}); configure with -DCUDAL1_PYTHON=PYTHON")
    sys.exit(77)

TASK_FILE = re.compile(r"(\d+)_(.+)\.py")
TRIANGULAR = {"tril", "triu"}


def written(value):
    """`value` as the facts write it."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return ("" if dtype == "float32" else dtype) + "[" + ",".join(str(n) for n in value.shape) + "]"
    if isinstance(value, (list, tuple)):
        return [written(v) for v in value]
    if value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def unfolded(value):
    """`value` with every {"repeat", "block"} in its lists, at any depth, written out."""
    if isinstance(value, dict):
        return {key: unfolded(v) for key, v in value.items()}
    if not isinstance(value, list):
        return value
    entries = []
    for entry in value:
        if isinstance(entry, dict) and entry.keys() == {"repeat", "block"}:
            entries += unfolded(entry["block"]) * entry["repeat"]
        else:
            entries.append(unfolded(entry))
    return entries


def likeness(value):
    """All of an argument that a result on the meta device depends on; hashable."""
    if isinstance(value, torch.Tensor):
        return value.device, value.dtype, value.shape, value.stride()
    if isinstance(value, (list, tuple)):
        return tuple(map(likeness, value))
    return type(value), value


class Recorder(TorchDispatchMode):
    """Records every ATen operator that runs while it is active, below autograd and composite operators."""

    known = {}  # likeness of a call -> what makes its result: recurrent tasks repeat a call thousands of times

    def __init__(self):
        super().__init__()
        self.operators = []
        self.initialising = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        arguments = written(args)  # before the call: an in-place view operator changes the shape of its argument
        result = self.result(function, args, kwargs)
        name = str(function).removeprefix("aten.").removesuffix(".default")
        if name == "lift_fresh":
            return result
        details = {k: str(v) for k, v in kwargs.items() if k in ("dtype", "memory_format") and v is not None}
        self.operators.append([name, arguments, {**details, "out": written(result)}])
        plain = name.split(".")[0]
        factory = not any(isinstance(a, torch.Tensor) for a in torch.utils._pytree.tree_leaves((args, kwargs)))
        if function._schema.is_mutable or (factory and not plain.startswith("empty")) or plain in TRIANGULAR:
            self.initialising.append(self.operators[-1])
        return result

    def result(self, function, args, kwargs):
        """What the call returns: of one like an earlier one, a tensor like the earlier result, without computing it."""
        arguments = likeness(args)
        call = function, arguments, likeness(tuple(kwargs.items()))
        if call in self.known:
            make = self.known[call]
            return make() if make else args[0]
        result = function(*args, **kwargs)
        if isinstance(result, torch.Tensor) and result.is_meta:
            if all(a.alias_info is None for a in function._schema.arguments):
                self.known[call] = functools.partial(torch.empty_strided, result.shape, result.stride(),
                                                     dtype=result.dtype, device="meta")
            elif function._schema.is_mutable and result is args[0] and likeness(args) == arguments:
                self.known[call] = None  # written in place, so the first argument
        return result


def described(value):
    """An input or output: {"shape", "dtype"} for a tensor, itself for a number, a list for several."""
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape), "dtype": str(value.dtype).removeprefix("torch.")}
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    return value


def parameter_names(function):
    return [p for p in inspect.signature(function).parameters if p != "self"]


def derive(path):
    """The facts of one task file, operators unfolded."""
    spec = importlib.util.spec_from_file_location("task", path)
    task = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(task)
    with torch.device("meta"), torch.no_grad():
        with Recorder() as inputs_recorder:
            inputs = task.get_inputs()
        init_inputs = task.get_init_inputs()
        with torch.enable_grad(), Recorder() as init_recorder:
            model = task.Model(*init_inputs)
        if not model.training:
            raise AssertionError("the constructor leaves training mode")
        with Recorder() as forward_recorder:
            outputs = model(*inputs)
    return {
        "input_generators": [name for name, *_ in inputs_recorder.operators],
        "inputs": described(inputs),
        "init_inputs": written(init_inputs),
        "init_parameters": parameter_names(task.Model.__init__),
        "forward_parameters": parameter_names(task.Model.forward),
        "initialisation": init_recorder.initialising,
        "parameters": [[name, list(p.shape)] for name, p in model.named_parameters()],
        "buffers": [[name, list(b.shape)] for name, b in model.named_buffers()],
        "modules": [[name, type(m).__name__ if type(m).__module__ == task.__name__ else repr(m)]
                    for name, m in model.named_modules() if name and not list(m.children())],
        "outputs": described(outputs),
        "operators": forward_recorder.operators,
    }


def differences(derived, facts):
    """Sentences, one for each field that differs; an ordered field names its first difference."""
    found = []
    for key, have in derived.items():
        want = facts[key]
        if key in ("operators", "initialisation"):
            want = unfolded(want)
        # As text, so that 1, 1.0 and True are three things.
        if json.dumps(have) == json.dumps(want):
            continue
        if isinstance(want, list) and isinstance(have, list):
            at = next((i for i, (h, w) in enumerate(zip(have, want)) if json.dumps(h) != json.dumps(w)),
                      min(len(have), len(want)))
            have = f"{len(have)} entries, at {at}: {json.dumps(have[at]) if at < len(have) else 'none'}"
            want = f"{len(want)} entries, at {at}: {json.dumps(want[at]) if at < len(want) else 'none'}"
        found.append(f"{key} has {str(have)[:300]}; the facts say {str(want)[:300]}")
    unchecked = set(facts) - set(derived) - {"level", "id", "name"}
    if unchecked:
        found.append(f"facts that nothing checks: {sorted(unchecked)}")
    return found


def task_files(folder):
    """{(level, id): path} of the task files in `folder`/level1, level2, ..."""
    files = {}
    for path in sorted(pathlib.Path(folder).glob("level*/*.py")):
        match = TASK_FILE.fullmatch(path.name)
        level = re.fullmatch(r"level(\d+)", path.parent.name)
        if match and level:
            files[int(level[1]), int(match[1])] = path
    return files


def problems_of(path, row):
    if path.stem != f"{row['id']}_{row['name']}":
        return [f"the file should be named {row['id']}_{row['name']}.py"]
    try:
        return differences(derive(path), row)
    except Exception as error:  # a task that raises is a finding like another; the rest are still checked
        return [f"raises {type(error).__name__}: {error}"]


def check(folder, facts, only):
    files = task_files(folder)
    failed = 0
    if not only:
        for level, number in sorted(set(files) - set(facts)):
            print(f"FAIL {level}/{number}: {files[level, number]} has no facts")
            failed += 1
    for key in sorted(facts):
        if only and key not in only:
            continue
        problems = problems_of(files[key], facts[key]) if key in files else ["no file"]
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '} {key[0]}/{key[1]} {facts[key]['name']}", *problems, sep="\n     ",
              flush=True)
    print(f"{len(facts) if not only else len(only)} tasks, {failed} failed")
    return 1 if failed else 0


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


def check_mutations(folder, facts):
    """Passes when every mutated task is told from its facts, in the field that the mutation changes."""
    files = task_files(folder)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for key, old, new, field in MUTATIONS:
            copy = pathlib.Path(shutil.copy(files[key], scratch))
            source = copy.read_text(encoding="utf-8")
            # num_classes and the like are used further down, so a renamed parameter keeps its old name as an alias.
            mutated = source.replace(old, new, 1)
            if field == "init_parameters":
                mutated = mutated.replace("super().__init__()", "super().__init__(); num_classes = classes", 1)
            copy.write_text(mutated, encoding="utf-8")
            problems = problems_of(copy, facts[key]) if mutated != source else ["the text to mutate is not there"]
            caught = any(p.startswith(field + " has ") for p in problems)
            failed += not caught
            print(f"{'ok  ' if caught else 'FAIL'} {key[0]}/{key[1]} {old!r} -> {new!r}", *problems, sep="\n     ",
                  flush=True)
            copy.unlink()
    print(f"{len(MUTATIONS)} mutations, {failed} not told apart")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", required=True, help="folder that holds level1, level2, ...")
    parser.add_argument("--facts", required=True, help="JSON lines, one task each")
    parser.add_argument("--only", nargs="*", default=[], metavar="LEVEL/ID")
    parser.add_argument("--mutations", action="store_true", help="check that wrong tasks are told apart")
    options = parser.parse_args()
    with open(options.facts, encoding="utf-8") as lines:
        facts = {(row["level"], row["id"]): row for row in map(json.loads, lines)}
    if options.mutations:
        return check_mutations(options.tasks, facts)
    return check(options.tasks, facts, {tuple(map(int, text.split("/"))) for text in options.only})


if __name__ == "__main__":
    sys.exit(main())
