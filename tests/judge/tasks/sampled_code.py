# SPDX-License-Identifier: GPL-3.0-or-later
# A vector times a large matrix of weights, and normal noise: the time is that of reading the weights.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mean = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x):
        mean = self.mean(x)
        return mean + 0.5 * torch.randn_like(mean)


def get_inputs():
    return [torch.randn(1, 2048)]


def get_init_inputs():
    return [2048]
