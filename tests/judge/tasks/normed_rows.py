# SPDX-License-Identifier: GPL-3.0-or-later
# A batch norm of rows, which keeps running statistics, behind a product.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.product = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.product(x)))


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return [256]
