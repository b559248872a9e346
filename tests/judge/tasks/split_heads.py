# SPDX-License-Identifier: GPL-3.0-or-later
# Splits the last dimension into heads: the result is a view of the input.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)


def get_inputs():
    return [torch.randn(8, 128, 256)]


def get_init_inputs():
    return [8]
