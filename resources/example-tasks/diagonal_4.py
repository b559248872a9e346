# SPDX-License-Identifier: GPL-3.0-or-later
"""Scales columns by a product with a diagonal matrix."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, d):
        y = torch.matmul(x, torch.diag(d))
        return torch.abs(y)


def get_inputs():
    return [torch.randn(80, 448), torch.randn(448)]


def get_init_inputs():
    return []
