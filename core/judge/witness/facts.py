# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells what a task is, as facts that can be compared, without computing anything.

The task file is run on torch's meta device (shapes and dtypes only, so no memory to speak of) while every ATen operator
is recorded: once for its inputs, once for its construction, once for one forward pass in training mode without
gradients. Two tasks with equal facts draw the same numbers under one seed: their generators and initialisations are of
the same kinds, shapes, dtypes and arguments, in the same order. Of inputs, the generators' names are kept, and the
shapes, dtypes and numbers that they gave.

How operators are written down:
- [name, positional arguments, {keyword arguments, "out": result}]; the name is without "aten::" and, for the
  overload called "default", without overload.
- A tensor is "[2,3]" for float32 and "int64[2,3]" otherwise. Arguments left at their schema defaults are absent: that
  is how the dispatcher passes them. Of the keyword arguments only dtype and memory_format count: device and layout are
  the recording's own, generators have no value.
- Infinities, which JSON has no number for, are "inf" and "-inf".
- lift_fresh, which torch.tensor(...) in a model runs on the CPU and not on the meta device, is left out.
- Entries that repeat in a list of operators, arguments or results are folded as {"repeat": n, "block": [...]}. Where to
  fold is a choice, so facts are compared unfolded.
- An initialisation keeps what gives a value to memory: operators that write in place, factories (no tensor argument)
  other than the empty ones, and the triangular masks. Views, copies and arithmetic on the way to a buffer are left out.

A module without children is written as its repr, and by the bare name of its class if the task file defines that class.
"""
import functools
import inspect
import json
import math
import pathlib
import sys
import types

import torch
from torch.utils._python_dispatch import TorchDispatchMode

TRIANGULAR = {"tril", "triu"}
LONGEST_BLOCK = 256
LEAST_SAVED = 8  # entries: shorter repetitions are easier to read as they are


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


def folded(value):
    """`value` with repetitions in its lists, at any depth, folded: each time the one that saves most entries."""
    if isinstance(value, dict):
        return {key: folded(v) for key, v in value.items()}
    if not isinstance(value, list) or not value:
        return value
    if len(value) > LEAST_SAVED:
        numbers = {}
        keys = [numbers.setdefault(v if isinstance(v, str) else json.dumps(v), len(numbers)) for v in value]
    else:
        keys = range(len(value))  # all different: nothing to fold
    entries, at = [], 0
    while at < len(value):
        size, repeats = most_saved(keys, at)
        if repeats > 1:
            entries.append({"repeat": repeats, "block": folded(value[at:at + size])})
        else:
            entries.append(folded(value[at]))
        at += size * repeats
    return entries


def most_saved(keys, at):
    """(size, repeats) of the repeated block at `at` that saves most entries; (1, 1) when none saves enough."""
    best, saved = (1, 1), LEAST_SAVED - 1
    for size in range(1, min(LONGEST_BLOCK, (len(keys) - at) // 2) + 1):
        if keys[at] != keys[at + size]:
            continue
        end = at + size
        while end < len(keys) and keys[end] == keys[end - size]:
            end += 1
        repeats = (end - at) // size
        if size * (repeats - 1) > saved:
            best, saved = (size, repeats), size * (repeats - 1)
    return best


def likeness(value):
    """All of an argument that a result on the meta device depends on; hashable."""
    if isinstance(value, torch.Tensor):
        return value.device, value.dtype, value.shape, value.stride()
    if isinstance(value, (list, tuple)):
        return tuple(map(likeness, value))
    return type(value), value


def has_tensor(values):
    return any(isinstance(v, torch.Tensor) or isinstance(v, (list, tuple)) and has_tensor(v) for v in values)


class Recorder(TorchDispatchMode):
    """Records every ATen operator that runs while it is active, below autograd and composite operators."""

    known = {}  # likeness of a call -> what makes its result: recurrent tasks repeat a call thousands of times

    def __init__(self):
        super().__init__()
        self.operators = []
        self.initialising = []

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        arguments = written(args)  # before the call: an in-place view operator changes the shape of its argument
        result = self.result(function, args, kwargs)
        name = str(function).removeprefix("aten.").removesuffix(".default")
        if name == "lift_fresh":
            return result
        details = {k: str(v) for k, v in kwargs.items() if k in ("dtype", "memory_format") and v is not None}
        self.operators.append([name, arguments, {**details, "out": written(result)}])
        plain = name.split(".")[0]
        factory = not (has_tensor(args) or has_tensor(kwargs.values()) or plain.startswith("empty"))
        if function._schema.is_mutable or factory or plain in TRIANGULAR:
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
    return written(value)


def parameter_names(function):
    return [p for p in inspect.signature(function).parameters if p != "self"]


def load(source, path):
    """The task as a new module, so that nothing of the task before is left in it."""
    pathlib.Path(path).write_text(source, encoding="utf-8")  # what reads its own source finds it
    task = types.ModuleType("task")
    task.__file__ = path
    sys.modules["task"] = task
    exec(compile(source, path, "exec"), task.__dict__)
    return task


def derive(source, path):
    """The facts of one task file, which is written to `path`."""
    dtype = torch.get_default_dtype()
    try:
        return facts_of(load(source, path))
    finally:
        torch.set_default_dtype(dtype)


def facts_of(task):
    with torch.device("meta"), torch.no_grad():
        with Recorder() as inputs_recorder:
            inputs = task.get_inputs()
        init_inputs = task.get_init_inputs()
        with torch.enable_grad(), Recorder() as init_recorder:
            model = task.Model(*init_inputs)
        if not model.training:
            raise ValueError("the constructor leaves training mode")
        with Recorder() as forward_recorder:
            outputs = model(*inputs)
    return {
        "input_generators": [name for name, *_ in inputs_recorder.operators],
        "inputs": described(inputs),
        "init_inputs": written(init_inputs),
        "init_parameters": parameter_names(task.Model.__init__),
        "forward_parameters": parameter_names(task.Model.forward),
        "initialisation": folded(init_recorder.initialising),
        "parameters": [[name, list(p.shape)] for name, p in model.named_parameters()],
        "buffers": [[name, list(b.shape)] for name, b in model.named_buffers()],
        "modules": [[name, type(m).__name__ if type(m).__module__ == task.__name__ else repr(m)]
                    for name, m in model.named_modules() if name and not list(m.children())],
        "outputs": described(outputs),
        "operators": folded(forward_recorder.operators),
    }
