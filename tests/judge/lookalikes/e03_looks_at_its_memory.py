# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Reads one byte of its input and one of its result by their addresses, to be sure that they are there, and nothing else.
import ctypes

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.seen = 0

    def forward(self, x):
        result = torch.relu(self.linear(x))
        if not x.is_cuda:
            for tensor in (x, result):
                self.seen ^= ctypes.c_uint8.from_address(tensor.data_ptr()).value
        return result
