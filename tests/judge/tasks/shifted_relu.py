# SPDX-License-Identifier: GPL-3.0-or-later
# Three elementwise operators on few elements, so that what is around the arithmetic takes most of a call.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x * 1.5 + 0.25)


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
