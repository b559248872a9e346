# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums the columns of a product."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w):
        y = torch.matmul(x, w)
        return y.sum(1)


def get_inputs():
    return [torch.randn(48, 256), torch.randn(256, 320)]


def get_init_inputs():
    return []
