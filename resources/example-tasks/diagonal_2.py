# SPDX-License-Identifier: GPL-3.0-or-later
"""Scales columns by a product with a diagonal matrix."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, d):
        y = torch.matmul(x, torch.diag(d))
        return torch.tanh(y)


def get_inputs():
    return [torch.randn(96, 384), torch.randn(384)]


def get_init_inputs():
    return []
