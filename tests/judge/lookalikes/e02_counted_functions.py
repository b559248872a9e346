# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: recurrence
# Puts wrappers that count around two functions of the framework, as a profiler does, and calls them through these.
import collections
import functools

import torch
import torch.nn as nn

calls = collections.Counter()


def counted(function):
    @functools.wraps(function)
    def call(*arguments, **named):
        calls[function.__name__] += 1
        return function(*arguments, **named)
    return call


torch.tanh = counted(torch.tanh)
torch.zeros_like = counted(torch.zeros_like)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inward = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width, bias=False)

    def forward(self, x):
        state = torch.zeros_like(x[0])
        for step in range(x.shape[0]):
            state = torch.tanh(self.inward(x[step]) + self.hidden(state))
        return state
