# SPDX-License-Identifier: GPL-3.0-or-later
# A product with a matrix that starts as the identity, before an activation.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Parameter(torch.eye(width))

    def forward(self, x):
        return torch.tanh(x @ self.mix)


def get_inputs():
    return [torch.randn(512, 1024)]


def get_init_inputs():
    return [1024]
