# SPDX-License-Identifier: GPL-3.0-or-later
# A product with a matrix of which one element in fifty is not zero, kept densely.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward))

    def forward(self, x):
        return x @ self.weight


def get_inputs():
    return [torch.randn(256, 2048) * (torch.rand(256, 2048) < 0.02)]


def get_init_inputs():
    return [2048, 128]
