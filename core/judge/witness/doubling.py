# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module in double precision throughout, also where it makes tensors of a type of its own.

Its parameters and inputs are doubles already. What operators make or convert to a narrower floating type is a double
here as well. Random numbers are drawn in the type in which the module draws them, and become doubles then: in another
type the generator gives others, and the result would be that of another call.
"""
import torch
from torch.utils._python_dispatch import TorchDispatchMode

WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64, torch.complex64: torch.complex128}
DRAWN = {"bernoulli", "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "multinomial", "normal", "normal_", "poisson", "rand",
         "rand_like", "randn", "randn_like", "uniform_"}
# They write into their first argument, and demand that others have its type.
NARROW_IN_PLACE = {"addbmm_", "addmm_", "addmv_", "addr_", "baddbmm_", "index_add_", "index_copy_", "index_put_", "index_reduce_", "lerp_",
                   "masked_scatter_", "scatter_", "scatter_add_", "scatter_reduce_"}
MOST_OPERATORS = 100_000  # some seconds; a recurrence of more is not followed to its end


def wide(value):
    if isinstance(value, torch.Tensor):
        return value.to(WIDE[value.dtype]) if value.dtype in WIDE else value
    return type(value)(map(wide, value)) if type(value) in (list, tuple) else value


def about(operator):
    """Its name, and the arguments, by place and by name, that it writes in place or sees otherwise: they stay the tensors that they are."""
    schema = operator._schema
    shared = [(place, argument.name) for place, argument in enumerate(schema.arguments) if argument.alias_info is not None]
    return schema.name.removeprefix("aten::"), {one for both in shared for one in both}


class InDouble(TorchDispatchMode):
    """`drawn` is the type of the module's inputs, in which it draws what is like them."""

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # the framework asks; otherwise it would load its compiler, of some hundred modules

    def __init__(self, drawn):
        super().__init__()
        self.drawn = getattr(torch, drawn)
        self.default = torch.get_default_dtype()
        self.operators = 0
        self.known = {}

    def __enter__(self):
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        torch.set_default_dtype(self.default)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.operators += 1
        if self.operators > MOST_OPERATORS:
            raise RuntimeError("too many operators")
        kwargs = dict(kwargs or {})
        name, shared = self.known.get(operator) or self.known.setdefault(operator, about(operator))
        if name in DRAWN:
            return self.draw(operator, name, args, kwargs)
        if name == "native_dropout" and args[2] is not False:
            kept = self.draw(operator, name, (torch.ones_like(args[0]), *args[1:]), kwargs)[1]
            return args[0] * kept / max(1 - args[1], torch.finfo(torch.float64).tiny), kept
        if kwargs.get("dtype") in WIDE:
            kwargs["dtype"] = WIDE[kwargs["dtype"]]
        given = [value if place in shared else wide(value) for place, value in enumerate(args)]
        kwargs = {argument: value if argument in shared else wide(value) for argument, value in kwargs.items()}
        if name in NARROW_IN_PLACE and args[0].dtype in WIDE:
            # What no conversion of the module has reached, as a plain attribute, stays as narrow as it is.
            args[0].copy_(operator(wide(args[0]), *given[1:], **kwargs))
            return args[0]
        return operator(*given, **kwargs)

    def draw(self, operator, name, args, kwargs):
        def narrow(value):
            return value.to(self.drawn) if isinstance(value, torch.Tensor) and value.dtype == torch.float64 else value

        narrowed = [narrow(value) for value in args], {argument: narrow(value) for argument, value in kwargs.items()}
        if name.endswith("_"):
            written = operator(*narrowed[0], **narrowed[1])
            return args[0] if written is args[0] else args[0].copy_(written)
        if kwargs.get("dtype") is None and not any(isinstance(value, torch.Tensor) for value in args):
            narrowed[1]["dtype"] = self.default
        return wide(operator(*narrowed[0], **narrowed[1]))
