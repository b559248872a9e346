# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, the largest feature of each row, less the mean over the features that are left, then GELU."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 512
out_features = 1024
max_dim = 1


class Model(nn.Module):
    def __init__(self, in_features, out_features, max_dim):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.max_dim = max_dim

    def forward(self, x):
        x = self.gemm(x)
        x = torch.max(x, dim=self.max_dim, keepdim=True).values
        x = x - x.mean(dim=1, keepdim=True)
        return F.gelu(x)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, max_dim]
