# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduces one row after the other."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        rows = []
        for row in x:
            rows.append(row.sum())
        return torch.stack(rows)


def get_inputs():
    return [torch.randn(32, 320)]


def get_init_inputs():
    return []
