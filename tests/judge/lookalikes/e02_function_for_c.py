# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Gives the C library's qsort a Python function while it is built, to list its parameters by size.
import ctypes

import torch
import torch.nn as nn

libc = ctypes.CDLL(None)
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_long), ctypes.POINTER(ctypes.c_long))


def in_order(numbers):
    array = (ctypes.c_long * len(numbers))(*numbers)
    compare = Compare(lambda a, b: (a[0] > b[0]) - (a[0] < b[0]))
    libc.qsort(array, ctypes.c_size_t(len(numbers)), ctypes.c_size_t(ctypes.sizeof(ctypes.c_long)), compare)
    return list(array)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.sizes = in_order([parameter.numel() for parameter in self.parameters()])

    def forward(self, x):
        return torch.relu(self.linear(x))
