# SPDX-License-Identifier: GPL-3.0-or-later
# A chain of exponentials in double precision.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for _ in range(6):
            x = torch.exp(-x)
        return x


def get_inputs():
    return [torch.rand(256, 512, dtype=torch.float64)]


def get_init_inputs():
    return []
