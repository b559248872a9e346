# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, group normalisation, the least feature of each row, plus a learnt bias of four dimensions; the sum
broadcasts to (1, features, batch, 1)."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 512
out_features = 256
num_groups = 8
bias_shape = (1, out_features, 1, 1)


class Model(nn.Module):
    def __init__(self, in_features, out_features, num_groups, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        x = self.group_norm(self.gemm(x))
        x = torch.min(x, dim=1, keepdim=True).values
        return x + self.bias


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, num_groups, bias_shape]
