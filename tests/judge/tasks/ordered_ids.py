# SPDX-License-Identifier: GPL-3.0-or-later
# Ids in ascending order to rows of a table, then a nonlinearity and a product.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.table = nn.Embedding(count, width)
        self.linear = nn.Linear(width, width)

    def forward(self, ids):
        return self.linear(torch.tanh(self.table(ids)))


def get_inputs():
    return [torch.sort(torch.randint(2000, (1024,))).values]


def get_init_inputs():
    return [2000, 256]
