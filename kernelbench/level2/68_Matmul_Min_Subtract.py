# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, the smaller of it and a learnt number, less that number."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 10
out_features = 5
constant = 2.0


class Model(nn.Module):
    def __init__(self, in_features, out_features, constant):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.constant = nn.Parameter(torch.tensor(constant))

    def forward(self, x):
        x = torch.min(self.linear(x), self.constant)
        return x - self.constant


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, constant]
