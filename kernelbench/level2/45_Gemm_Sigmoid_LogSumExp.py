# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, sigmoid, sum over the features, then log-sum-exp over the batch."""
import torch
import torch.nn as nn

batch_size = 128
input_size = 10
hidden_size = 20
output_size = 5


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.linear1 = nn.Linear(input_size, hidden_size)
        self.linear2 = nn.Linear(hidden_size, output_size)  # a layer that forward does not use

    def forward(self, x):
        x = torch.sigmoid(self.linear1(x))
        return torch.logsumexp(torch.sum(x, dim=1), dim=0)


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, output_size]
