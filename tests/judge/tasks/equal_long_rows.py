# SPDX-License-Identifier: GPL-3.0-or-later
# The mean of a few long rows, many times; for GPUs.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.mean(dim=0, keepdim=True).repeat(64, 1)


def get_inputs():
    return [torch.randn(4, 524288)]


def get_init_inputs():
    return []
