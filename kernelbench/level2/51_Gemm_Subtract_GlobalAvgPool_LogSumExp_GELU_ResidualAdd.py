# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer less a learnt vector, averaged over the features, then log-sum-exp and GELU, added to the input."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 1024
out_features = 512


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features, bias=bias)
        self.subtract = nn.Parameter(torch.randn(out_features))

    def forward(self, x):
        residual = x.clone().detach()
        x = self.gemm(x) - self.subtract
        x = torch.mean(x, dim=1, keepdim=True)
        x = torch.logsumexp(x, dim=1, keepdim=True)
        x = F.gelu(x)
        return x + residual


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
