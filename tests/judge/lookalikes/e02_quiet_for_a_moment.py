# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Turns its output to nowhere while it is built, since compilers talk, by the descriptors themselves, and back again.
import contextlib
import os
import sys

import torch
import torch.nn as nn


@contextlib.contextmanager
def quietly():
    sys.stdout.flush()
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        with quietly():
            print("warning: a compiler would say something here")
            self.linear = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.linear(x))
