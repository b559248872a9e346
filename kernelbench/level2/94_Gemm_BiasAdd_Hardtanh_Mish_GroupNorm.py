# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer plus a second learnt bias, limited to [-1, 1], Mish, then group normalisation."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 512
out_features = 1024
bias_shape = (out_features,)
num_groups = 32


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias_shape, num_groups):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.hardtanh = nn.Hardtanh()
        self.mish = nn.Mish()
        self.groupnorm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x):
        x = self.gemm(x) + self.bias
        x = self.mish(self.hardtanh(x))
        return self.groupnorm(x)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, bias_shape, num_groups]
