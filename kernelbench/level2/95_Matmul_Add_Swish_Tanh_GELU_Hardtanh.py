# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer plus a learnt vector, swish, hyperbolic tangent, GELU, then limited to [-1, 1]."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 1024
out_features = 512
add_value_shape = (out_features,)


class Model(nn.Module):
    def __init__(self, in_features, out_features, add_value_shape):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.add_value = nn.Parameter(torch.randn(add_value_shape))

    def forward(self, x):
        x = self.matmul(x) + self.add_value
        x = x * torch.sigmoid(x)
        x = F.gelu(torch.tanh(x))
        return F.hardtanh(x, min_val=-1, max_val=1)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, add_value_shape]
