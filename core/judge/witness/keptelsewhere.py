# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the tensors and arrays that a model keeps between its calls, wherever they are.

Trusted code: it runs in the reference's process and sees the reference alone.
"""
import collections
import gc
import sys
import types

import torch

MOST_OBJECTS = 200_000  # a table of Python's own numbers is not followed to its end
PLAIN = (str, bytes, int, float, complex, type(None), type, types.ModuleType, types.BuiltinFunctionType)


def _joined(path, name):
    return f"{path}[{name}]" if name.isdigit() else f"{path}.{name}".lstrip(".")


def _parts(path, value, home):
    """What an object refers to, each with its path as Python reads it, or nearly so. `home` is the task's module, whose classes are looked at too."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield f"{path}[{key!r}]", item
    elif isinstance(value, (list, tuple, collections.deque)):
        for index, item in enumerate(value):
            yield f"{path}[{index}]", item
    elif isinstance(value, types.FunctionType):  # not its globals
        for name, item in zip(value.__code__.co_freevars, value.__closure__ or ()):
            yield f"{path}.{name}", item
        yield f"{path}.__defaults__", value.__defaults__
    else:
        attributes = getattr(value, "__dict__", None)
        attributes = attributes if isinstance(attributes, dict) else {}
        for key, item in attributes.items():
            if isinstance(value, torch.nn.Module) and key in ("_modules", "_buffers", "_parameters"):
                for name, inner in item.items():
                    yield _joined(path, name), inner
            else:
                yield _joined(path, key), item
        for item in gc.get_referents(value):  # slots, and what C keeps
            if item is not attributes:
                yield f"{path}…", item
        if type(value).__module__ == home:
            for key, item in vars(type(value)).items():
                yield _joined(path, key), item


def _is_plain(tensor):
    return tensor.layout == torch.strided and tensor.device.type != "meta" and tensor.numel() > 0


def kept(model, task):
    """Pairs of path and tensor: parameters and buffers by name, and what else the model or its module keeps, where it shares no memory with those.

    An array of numpy is given as the bytes that it has now. The framework's own objects are not looked into.
    """
    numpy = sys.modules.get("numpy")
    named = [*model.named_parameters(), *model.named_buffers()] if isinstance(model, torch.nn.Module) else []
    found = [(path, tensor) for path, tensor in named if _is_plain(tensor)]
    storages = {tensor.untyped_storage().data_ptr() for path, tensor in found}
    home = task.__name__
    seen = {id(model)}
    waiting = collections.deque([("", model), ("globals()", {name: value for name, value in vars(task).items() if not name.startswith("__")})])
    while waiting and len(seen) < MOST_OBJECTS:
        path, value = waiting.popleft()
        for inner, item in _parts(path, value, home):
            if isinstance(item, PLAIN) or id(item) in seen:
                continue
            seen.add(id(item))
            if isinstance(item, torch.Tensor):
                if _is_plain(item) and item.untyped_storage().data_ptr() not in storages:
                    found.append((inner, item))
            elif numpy and isinstance(item, numpy.ndarray):
                if item.size and not item.dtype.hasobject:
                    found.append((inner, torch.frombuffer(bytearray(item.tobytes()), dtype=torch.uint8)))
            elif isinstance(item, torch.nn.Module) or type(item).__module__.partition(".")[0] != "torch":
                waiting.append((inner, item))
    return found


def unregistered_weights(model, found):
    """Those of kept() that are weights which no module has registered, as tensors of a plain class, or layers and gates in a list of Python.

    They are parameters that are not the model's own; where it has none of its own, or there are such, other floating tensors too.
    """
    parameters, buffers = (model.named_parameters(), model.named_buffers()) if isinstance(model, torch.nn.Module) else ((), ())
    parameters = {name for name, parameter in parameters}
    others = [(path, tensor) for path, tensor in found if path not in parameters | {name for name, buffer in buffers}]
    weights = [(path, tensor) for path, tensor in others if isinstance(tensor, torch.nn.Parameter)]
    if parameters and not weights:
        return []
    return weights + [(path, tensor) for path, tensor in others if not isinstance(tensor, torch.nn.Parameter)
                      and (tensor.is_floating_point() or tensor.is_complex())]
