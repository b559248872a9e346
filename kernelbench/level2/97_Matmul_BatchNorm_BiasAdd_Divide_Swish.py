# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, batch normalisation, plus a learnt bias, divided by a constant, then swish."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 1024
out_features = 512
bn_eps = 1e-5
bn_momentum = 0.1
bias_shape = (1,)
divide_value = 1.0


class Model(nn.Module):
    def __init__(self, in_features, out_features, bn_eps, bn_momentum, bias_shape, divide_value):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bn = nn.BatchNorm1d(out_features, eps=bn_eps, momentum=bn_momentum)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.divide_value = divide_value

    def forward(self, x):
        x = self.bn(self.matmul(x))
        x = (x + self.bias) / self.divide_value
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, bn_eps, bn_momentum, bias_shape, divide_value]
