# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds weights of a reference that no module has registered: tensors of a plain class, layers and gates in a list of Python."""
import types

import torch

REGISTERED = ("_parameters", "_buffers", "_modules")
DEEPEST = 8


def parts(value, task):
    """What a value holds, by the end of a path. Objects of classes that are not the task's own are not looked into."""
    if isinstance(value, torch.nn.Module):
        kept = {key: item for key, item in vars(value).items() if key not in REGISTERED}
        held = {**value._modules, **value._parameters, **kept}
        return [(f".{key}", item) for key, item in held.items()]
    if isinstance(value, dict):
        return [(f"[{key!r}]", item) for key, item in value.items()]
    if isinstance(value, (list, tuple, set)):
        return [(f"[{index}]", item) for index, item in enumerate(value)]
    if isinstance(value, types.SimpleNamespace) or (type(value).__module__ == task and hasattr(value, "__dict__")):
        return [(f".{key}", item) for key, item in vars(value).items()]
    return []


def weights(model):
    """[(path, tensor)] of parameters that are not the model's own; where it has none of its own, or there are such, of other floating tensors too."""
    registered = []
    if isinstance(model, torch.nn.Module):
        registered = list(model.parameters()) + list(model.buffers())
    known = {id(tensor) for tensor in registered} | {tensor.untyped_storage().data_ptr() for tensor in registered if tensor.layout == torch.strided}
    seen, found = set(), []

    def look(value, path, depth):
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            if value.layout == torch.strided and id(value) not in known and value.untyped_storage().data_ptr() not in known:
                found.append((path.lstrip("."), value))
        elif depth < DEEPEST:
            for end, item in parts(value, type(model).__module__):
                look(item, path + end, depth + 1)

    look(model, "", 0)
    parameters = [(path, tensor) for path, tensor in found if isinstance(tensor, torch.nn.Parameter)]
    if not parameters and any(isinstance(tensor, torch.nn.Parameter) for tensor in registered):
        return []
    return parameters + [(path, tensor) for path, tensor in found if not isinstance(tensor, torch.nn.Parameter)
                         and (tensor.is_floating_point() or tensor.is_complex())]
