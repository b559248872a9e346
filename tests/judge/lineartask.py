# SPDX-License-Identifier: GPL-3.0-or-later
"""The small task of the judge's own tests, relu(linear(x)) * 2, and candidates for it."""


def task(rows: int, width: int) -> str:
    return f"""
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.linear(x)) * 2

def get_inputs():
    return [torch.randn({rows}, {width})]

def get_init_inputs():
    return [{width}]
"""


def candidate(forward: str, extra: str = "pass", module: str = "") -> str:
    """A candidate whose forward has this body; `extra` ends the constructor, `module` comes before the class."""
    def indented(text: str) -> str:
        return "\n".join("        " + line for line in text.strip().splitlines())
    return f"""
import ctypes, os, signal, socket, stat, struct, subprocess, sys, threading, time
import torch
import torch.nn as nn
{module}
class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
{indented(extra)}

    def forward(self, x):
{indented(forward)}
"""


TASK = task(64, 256)
HONEST = candidate("return torch.relu(self.linear(x)) * 2")
