# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums the columns of a product."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w):
        y = torch.matmul(x, w)
        return y.sum(1)


def get_inputs():
    return [torch.randn(64, 128), torch.randn(128, 256)]


def get_init_inputs():
    return []
