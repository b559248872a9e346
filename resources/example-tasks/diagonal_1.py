# SPDX-License-Identifier: GPL-3.0-or-later
"""Scales columns by a product with a diagonal matrix."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, d):
        y = torch.matmul(x, torch.diag(d))
        return torch.relu(y)


def get_inputs():
    return [torch.randn(64, 256), torch.randn(256)]


def get_init_inputs():
    return []
