# SPDX-License-Identifier: GPL-3.0-or-later
# Diagonal matrices of many diagonals: nearly all of the result is zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.diag_embed(x)


def get_inputs():
    return [torch.randn(32, 512)]


def get_init_inputs():
    return []
