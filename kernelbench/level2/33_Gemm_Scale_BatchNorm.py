# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, a learnt scale for each feature, then batch normalisation."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 1024
out_features = 512
scale_shape = (out_features,)


class Model(nn.Module):
    def __init__(self, in_features, out_features, scale_shape, eps=1e-5, momentum=0.1):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.bn = nn.BatchNorm1d(out_features, eps=eps, momentum=momentum)

    def forward(self, x):
        x = self.gemm(x) * self.scale
        return self.bn(x)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, scale_shape]
