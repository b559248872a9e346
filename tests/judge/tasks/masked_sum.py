# SPDX-License-Identifier: GPL-3.0-or-later
# A sum over a causal window, two products with a nonlinearity between them.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.length = length

    def forward(self, x):
        mask = torch.tril(torch.ones(self.length, self.length, device=x.device))
        scores = (x @ x.transpose(1, 2)) * mask / self.length
        return torch.relu(scores) @ x


def get_inputs():
    return [torch.randn(4, 128, 64)]


def get_init_inputs():
    return [128]
