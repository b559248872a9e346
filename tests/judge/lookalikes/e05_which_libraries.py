# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: product
# Reads the list of its own mappings and its status while it is built, to know which library multiplies and how much memory there is.
import re

import torch
import torch.nn as nn


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.libraries = set(re.findall(r"lib(?:mkl|openblas|torch_cpu|cublas)[\w.-]*", read("/proc/self/maps")))
        self.peak = re.findall(r"VmHWM:\s+(\d+)", read("/proc/self/status"))

    def forward(self, a, b):
        return torch.mm(a, b)
