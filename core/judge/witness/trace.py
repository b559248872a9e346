# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a module as a graph of ATen operators with shapes, arguments and the time of each on its device.

Trusted code: it runs in the reference's process and sees the reference alone. The result is the OperatorGraph of
core/protocol/messages.h as plain dictionaries, lists, strings and numbers.
"""
import ast
import inspect
import math
import statistics
import time

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
from torch.utils.weak import WeakTensorKeyDictionary

# One measurement is bounded by this many seconds; a forward pass that is slower is measured once.
BUDGET_S = 0.5
# A constant that no attribute names is written into the graph when it has at most so many elements.
SMALL_CONSTANT = 16


class _Truncated(Exception):
    """Ends a forward pass once the graph is full: the rest of a recurrence of 80,000 operators is not worth running."""


class _Clock:
    """Times one operator. On a GPU a short spin kernel goes first, so that the launch itself is not counted."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"
        if self.cuda:
            self.start = torch.cuda.Event(enable_timing=True)
            self.end = torch.cuda.Event(enable_timing=True)

    def run(self, call):
        if not self.cuda:
            begin = time.perf_counter_ns()
            result = call()
            return result, time.perf_counter_ns() - begin
        torch.cuda.synchronize()
        torch.cuda._sleep(100_000)
        self.start.record()
        result = call()
        self.end.record()
        self.end.synchronize()
        return result, self.start.elapsed_time(self.end) * 1e6


class _ModuleStack:
    """Keeps the path of the innermost module that runs."""

    def __init__(self, model):
        self.names = {id(module): name for name, module in model.named_modules()}
        self.stack = [""]

    def __enter__(self):
        # A hook's result other than None would replace the module's input or output.
        def entered(module, args):
            self.stack.append(self.names.get(id(module), ""))

        def left(module, args, output):
            self.stack.pop()

        self.before = register_module_forward_pre_hook(entered)
        self.after = register_module_forward_hook(left, always_call=True)
        return self

    def __exit__(self, *error):
        self.before.remove()
        self.after.remove()

    def top(self):
        return self.stack[-1]


class _Timer(TorchDispatchMode):
    """Runs every operator alone and keeps its time, in execution order."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.times = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result, elapsed = self.clock.run(lambda: func(*args, **(kwargs or {})))
        self.times.append(elapsed)
        return result


class _Recorder(TorchDispatchMode):
    """Writes down every operator with its arguments as values of the graph."""

    def __init__(self, modules, clock, max_nodes):
        super().__init__()
        self.modules = modules
        self.clock = clock
        self.max_nodes = max_nodes
        self.values = []
        self.nodes = []
        self.ids = WeakTensorKeyDictionary()
        self.complete = True   # false when an argument cannot be written down
        self.random_tag = False

    def value(self, tensor, kind="intermediate", name=""):
        if tensor in self.ids:
            return self.ids[tensor]
        number = len(self.values)
        self.ids[tensor] = number
        strided = tensor.layout == torch.strided
        self.values.append({
            "id": number,
            "shape": [int(n) for n in tensor.shape],
            "stride": [int(n) for n in tensor.stride()] if strided else [],
            "dtype": str(tensor.dtype).removeprefix("torch."),
            "name": name,
            "kind": kind,
        })
        return number

    def encode(self, argument):
        if isinstance(argument, torch.Tensor):
            if argument not in self.ids and argument.numel() <= SMALL_CONSTANT and argument.device.type != "meta":
                return {"literal": f"torch.tensor({argument.tolist()!r}, dtype={argument.dtype}, "
                                   f"device={str(argument.device)!r})".replace("inf", "float('inf')")
                                   .replace("nan", "float('nan')")}
            if argument not in self.ids:
                self.complete = False
            return {"value": self.value(argument, "constant")}
        if isinstance(argument, (list, tuple)):
            return [self.encode(item) for item in argument]
        if isinstance(argument, float) and not math.isfinite(argument):
            return {"literal": f"float('{argument}')"}
        if argument is None or isinstance(argument, (bool, int, float, str)):
            return argument
        if isinstance(argument, torch.device):
            return {"literal": f"torch.device('{argument}')"}
        if isinstance(argument, (torch.dtype, torch.layout, torch.memory_format, complex)):
            return {"literal": str(argument)}
        if isinstance(argument, (torch.UntypedStorage, torch.TypedStorage)):
            return self.storage(argument)
        if not isinstance(argument, torch.Generator):
            self.complete = False
        return None

    def storage(self, argument):
        """The memory of a parameter, in which a recurrent layer on a GPU keeps all of its weights."""
        for tensor, number in self.ids.items():
            if self.values[number]["kind"] == "parameter" and tensor.untyped_storage().data_ptr() == argument.data_ptr():
                return {"literal": f"self{_attribute_path(self.values[number]['name'])}.untyped_storage()"}
        self.complete = False
        return None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if len(self.nodes) >= self.max_nodes:
            raise _Truncated
        kwargs = kwargs or {}
        node = {
            "id": len(self.nodes),
            "op": f"{func.namespace}.{func._schema.name.split('::')[-1]}.{func._overloadname}",
            "module": self.modules.top(),
            "args": [self.encode(a) for a in args],
            "kwargs": {k: self.encode(v) for k, v in kwargs.items()},
        }
        self.nodes.append(node)
        self.random_tag = self.random_tag or (
            torch.Tag.nondeterministic_seeded in func.tags and not _no_dropout(func, args, kwargs))
        result, elapsed = self.clock.run(lambda: func(*args, **kwargs))
        node["time_ns"] = elapsed
        # None stands for an output that the operator did not make; its place in the list is kept by -1.
        flat, _ = tree_flatten(result)
        node["outputs"] = [self.value(t) if isinstance(t, torch.Tensor) else -1 for t in flat]
        return result


def _no_dropout(func, args, kwargs):
    for index, argument in enumerate(func._schema.arguments):
        if argument.name in ("dropout", "dropout_p"):
            value = args[index] if index < len(args) else kwargs.get(argument.name, argument.default_value)
            return value == 0
    return False


def _attribute_path(name):
    """Of a dotted name: '.cells[0].weight' for 'cells.0.weight'."""
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in name.split(".")) if name else ""


def _attribute_tensors(model):
    """Plain tensors kept as attributes, with the Python path that reads them from the model: 'h0', 'cell.scales[0]'."""
    found = []

    def scan(value, path, depth):
        if isinstance(value, torch.Tensor):
            found.append((path, value))
        elif isinstance(value, (list, tuple)) and depth < 4:
            for index, item in enumerate(value):
                scan(item, f"{path}[{index}]", depth + 1)
        elif isinstance(value, dict) and depth < 4:
            for key, item in value.items():
                scan(item, f"{path}[{key!r}]", depth + 1)

    for name, module in model.named_modules():
        prefix = _attribute_path(name)
        for key, value in vars(module).items():
            if key not in ("_parameters", "_buffers", "_modules") and not key.startswith("_"):
                scan(value, f"{prefix}.{key}".lstrip("."), 0)
    return found


def _moved_back(model):
    """A function that puts back tensors of the model which forward has replaced by copies on another device.

    The next call then copies them too, as the first one does.
    """
    before = [(module, key, value) for module in model.modules() for key, value in vars(module).items() if isinstance(value, torch.Tensor)]

    def put_back():
        for module, key, value in before:
            now = vars(module).get(key)
            if isinstance(now, torch.Tensor) and now.device != value.device:
                setattr(module, key, value)

    return put_back


def _random_state(device):
    state = [torch.get_rng_state()]
    if device.type == "cuda":
        state.append(torch.cuda.get_rng_state(device))
    return state


def _place(value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(_place(item, device) for item in value)
    return value


def _tensors(value):
    return [item for item in tree_flatten(value)[0] if isinstance(item, torch.Tensor)]


def _synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _forward_ns(model, inputs, device):
    samples = []
    deadline = time.perf_counter() + BUDGET_S
    while len(samples) < 9 and (len(samples) < 1 or time.perf_counter() < deadline):
        _synchronize(device)
        begin = time.perf_counter_ns()
        result = model(*inputs)
        _synchronize(device)
        samples.append(time.perf_counter_ns() - begin)
        del result
    return statistics.median(samples)


def _operator_times(model, inputs, clock, nodes, put_back):
    """The least time of each operator over a few runs; the first run of the recorder counts as one of them."""
    deadline = time.perf_counter() + BUDGET_S
    for _ in range(4):
        if time.perf_counter() > deadline:
            return
        put_back()
        with _Timer(clock) as timer:
            model(*inputs)
        if len(timer.times) != len(nodes):
            return
        for node, elapsed in zip(nodes, timer.times):
            node["time_ns"] = min(node["time_ns"], elapsed)


def _name_scalars(model, inputs, parameters, nodes, device):
    """Replaces literals that come from a number among forward's arguments by the argument's name.

    Found by tracing again with other numbers: a literal that follows the argument is the argument. One that changes in
    another way cannot be written down, which makes the graph unfit for rewriting (False).
    """
    numbers = [i for i, v in enumerate(inputs) if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if not numbers:
        return True
    for index in numbers:
        other = list(inputs)
        other[index] = inputs[index] + 1 if isinstance(inputs[index], int) else inputs[index] * 1.25 + 0.375
        stack = _ModuleStack(model)
        recorder = _Recorder(stack, _Clock(torch.device("cpu")), len(nodes))
        try:
            with stack, recorder:
                model(*other)
        except Exception:
            return False
        if [n["op"] for n in recorder.nodes] != [n["op"] for n in nodes]:
            return False

        def merge(here, there):
            if isinstance(here, list) and isinstance(there, list) and len(here) == len(there):
                return [merge(a, b) for a, b in zip(here, there)]
            if isinstance(here, dict) or here == there:
                return here
            if here == inputs[index] and there == other[index]:
                return {"literal": parameters[index]}
            raise ValueError

        try:
            for node, seen in zip(nodes, recorder.nodes):
                node["args"] = merge(node["args"], seen["args"])
                node["kwargs"] = {k: merge(v, seen["kwargs"][k]) for k, v in node["kwargs"].items()}
        except (ValueError, KeyError):
            return False
    return True


def trace(model, inputs, device="cpu", max_nodes=4000):
    """One forward pass of `model`, in training mode and without gradients, as an OperatorGraph.

    `inputs` are forward's positional arguments. Model and inputs are moved to `device` where they are not there yet.
    On "meta" no time is measured. Buffers and the random generators are left as they were found.
    """
    device = torch.device(device)
    model = model.to(device)
    model.train()
    inputs = [_place(value, device) for value in inputs]
    measured = device.type != "meta"
    signature = list(inspect.signature(model.forward).parameters)

    put_back = _moved_back(model)
    stack = _ModuleStack(model)
    clock = _Clock(device)
    recorder = _Recorder(stack, clock, max_nodes)
    input_ids = []
    for name, value in zip(signature + [""] * len(inputs), inputs):
        tensors = _tensors(value)
        for index, tensor in enumerate(tensors):
            shown = name if len(tensors) == 1 and tensor is value else f"{name}[{index}]"
            input_ids.append(recorder.value(tensor, "input", shown))
    for name, parameter in model.named_parameters(remove_duplicate=False):
        recorder.value(parameter, "parameter", name)
    for name, buffer in model.named_buffers(remove_duplicate=False):
        recorder.value(buffer, "buffer", name)
    for path, tensor in _attribute_tensors(model):
        recorder.value(tensor, "constant", path)

    buffers = [(b, b.detach().clone()) for b in model.buffers()] if measured else []
    random_before = _random_state(device)
    result, truncated = None, False
    total_ns = 0.0
    with torch.no_grad():
        if measured and device.type == "cuda":
            model(*inputs)  # library handles and lazily loaded kernels are not a forward pass's own time
            put_back()
        try:
            with stack, recorder:
                result = model(*inputs)
        except _Truncated:
            truncated = True
        _synchronize(device)
        if measured:
            randomised = any(not torch.equal(a, b) for a, b in zip(random_before, _random_state(device)))
        else:
            randomised = recorder.random_tag
        nameable = truncated or _name_scalars(model, inputs, signature, recorder.nodes, device)
        if measured:
            # The recorded pass also loads what only the recording needs, so it is no measure of the module.
            total_ns = float(_forward_ns(model, inputs, device))
            if not truncated and total_ns < BUDGET_S * 1e9:
                _operator_times(model, inputs, clock, recorder.nodes, put_back)
        else:
            for node in recorder.nodes:
                node["time_ns"] = 0.0
        for buffer, value in buffers:
            buffer.copy_(value)
    if measured:
        torch.set_rng_state(random_before[0])
        if device.type == "cuda":
            torch.cuda.set_rng_state(random_before[1], device)
    for node in recorder.nodes:
        node.setdefault("outputs", [])

    outputs = [] if truncated else [recorder.value(t) for t in _tensors(result)]
    kind = "tensor" if isinstance(result, torch.Tensor) else type(result).__name__
    if truncated:
        kind = ""
    leaves = [(name, module) for name, module in model.named_modules() if name and not list(module.children())]
    return {
        "values": recorder.values,
        "nodes": recorder.nodes,
        "inputs": input_ids,
        "outputs": outputs,
        "output_kind": kind,
        "forward_parameters": signature,
        "modules": [f"{name}: {module}" for name, module in leaves],
        "total_ns": total_ns,
        "parameter_bytes": sum(p.numel() * p.element_size() for p in model.parameters()),
        "truncated": truncated or not recorder.complete or not nameable,
        "randomised": bool(randomised),
        "device": str(device),
    }


def inspect_source(source, name):
    """What a task's text says without running it: forward's argument names and the lines of Model."""
    tree = ast.parse(source, name)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and item.name == "forward":
                    names = [a.arg for a in item.args.posonlyargs + item.args.args][1:]
                    return {"forward_parameters": names, "line": node.lineno, "end_line": node.end_lineno}
    return {"forward_parameters": [], "line": 0, "end_line": 0}
