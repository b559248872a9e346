# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module as if its operators rounded otherwise, as other kernels for the same mathematics do.

Every result of an operator is multiplied by a number within two units in the last place of one; in half types, whose
sums are float32, by one that rounding itself can make. That stands for other orders of sums in every layer. Moved
inputs do not: what comes first may hide their last digits, and what comes after may amplify its own.

It may be so many times as much, to see what rounding can do at all. Then a number of the result's usual size is moved
as far too, whatever its own size is, as in sums that cancel.

Left as they are: results without a floating tensor among the arguments (factories, which indices may be made of),
results that are whole numbers, views, what is written in place, and what an operator hands back of its arguments: on a
GPU an LSTM returns the buffer in which its weights lie.

TF32Products is another way: what products and convolutions make of float32 when they read eleven significant binary
digits of each number, as TF32 does. A library may do without TF32 where it is allowed, and a candidate may use it there.
Attention and recurrences that are one operator stay as they are.
"""
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

EXACT = {"ceil", "floor", "round", "sgn", "sign", "trunc"}
# Where their operands are among the arguments; what is added to a product is not rounded.
PRODUCTS = {"mm": (0, 1), "bmm": (0, 1), "mv": (0, 1), "dot": (0, 1), "addmm": (1, 2), "addmv": (1, 2), "baddbmm": (1, 2), "addbmm": (1, 2),
            "convolution": (0, 1)}
MOST_OPERATORS = 20_000  # some seconds; a recurrence of more is not followed to its end


def is_floating(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def memory_of(tensor):
    return tensor.untyped_storage().data_ptr() if tensor.layout == torch.strided else id(tensor)


class Counted(TorchDispatchMode):
    """A mode that gives up after MOST_OPERATORS."""
    @classmethod
    def _should_skip_dynamo(cls):
        return False  # the framework asks; otherwise it would load its compiler, of some hundred modules

    def __init__(self):
        super().__init__()
        self.operators = 0

    def count(self):
        self.operators += 1
        if self.operators > MOST_OPERATORS:
            raise RuntimeError("too many operators")


class Rounded(Counted):
    def __init__(self, device, times, seed):
        super().__init__()
        self.times = times
        # The default one is what the module's own random numbers come from.
        self.generator = torch.Generator(device).manual_seed(seed)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.count()
        kwargs = kwargs or {}
        results = operator(*args, **kwargs)
        schema = operator._schema
        if any(result.alias_info for result in schema.returns) or schema.name.removeprefix("aten::") in EXACT:
            return results
        given = {memory_of(value) for value in tree_leaves((args, kwargs)) if is_floating(value)}
        if given:
            for result in tree_leaves(results):
                if is_floating(result) and result.device == self.generator.device and memory_of(result) not in given:
                    self.move(result)
        return results

    def move(self, result):
        last = self.times * torch.finfo(result.dtype).eps * (2 if result.element_size() >= 4 else 0.5)
        factor = torch.empty_like(result).uniform_(-last, last, generator=self.generator)
        usual = result.abs().mean() if self.times > 1 else None
        result.addcmul_(result, factor)
        if usual is not None and usual.isfinite():
            result.add_(factor.mul_(usual))


def as_tf32(value):
    """The nearest number of eleven significant binary digits; what is not finite stays."""
    if not (isinstance(value, torch.Tensor) and value.dtype == torch.float32):
        return value
    return torch.where(value.isfinite(), ((value.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32), value)


class TF32Products(Counted):
    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.count()
        operands = PRODUCTS.get(operator._schema.name.removeprefix("aten::"), ())
        return operator(*(as_tf32(value) if place in operands else value for place, value in enumerate(args)), **(kwargs or {}))
