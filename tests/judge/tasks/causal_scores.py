# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers from zero to one, limited several times, and a mask of infinities over them.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for limit in range(1, 9):
            x = torch.clamp(x, -limit, limit)
        later = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        return x.masked_fill(later, float("-inf"))


def get_inputs():
    return [torch.rand(4, 512, 512)]


def get_init_inputs():
    return []
