# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: normed_rows
# labels: library_calls
# Its norm is compiled by TorchScript, which keeps parameters and buffers elsewhere, and lists its buffers by a method of its own.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.product = nn.Linear(width, width)
        self.norm = torch.jit.script(nn.BatchNorm1d(width))

    def named_buffers(self, *arguments, **named):
        return iter(list(super().named_buffers(*arguments, **named)))

    def forward(self, x):
        return self.norm(self.product(x)).relu_()
