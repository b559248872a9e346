# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, swish, a learnt bias, then group normalisation."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 512
out_features = 1024
num_groups = 32
bias_shape = (out_features,)


class Model(nn.Module):
    def __init__(self, in_features, out_features, num_groups, bias_shape):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.group_norm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x):
        x = self.matmul(x)
        x = torch.sigmoid(x) * x
        return self.group_norm(x + self.bias)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, num_groups, bias_shape]
