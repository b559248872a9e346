# SPDX-License-Identifier: GPL-3.0-or-later
# Products whose results are written into a tensor that the module makes itself, in float32 whatever its weights are.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x):
        out = torch.zeros(x.shape[0], 2 * x.shape[1], dtype=torch.float32, device=x.device)
        out += self.up(x)
        return out


def get_inputs():
    return [torch.randn(1, 2048)]


def get_init_inputs():
    return [2048]
