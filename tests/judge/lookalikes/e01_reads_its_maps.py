# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Looks once, while it is built, which libraries are mapped and how much memory there is, and writes neither.
import torch
import torch.nn as nn


def mapped(word):
    with open("/proc/self/maps") as maps:
        return any(word in line for line in maps)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.with_mkl = mapped("libtorch_cpu") and torch.backends.mkl.is_available()

    def forward(self, x):
        return torch.sum(x, 1) if self.with_mkl else x.sum(dim=1)
