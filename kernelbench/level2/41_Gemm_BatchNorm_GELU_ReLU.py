# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, batch normalisation, GELU, group normalisation, mean over the features, then ReLU."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 512
out_features = 1024
num_groups = 8


class Model(nn.Module):
    def __init__(self, in_features, out_features, num_groups):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.batch_norm = nn.BatchNorm1d(out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x):
        x = F.gelu(self.batch_norm(self.gemm(x)))
        x = self.group_norm(x)
        return torch.relu(torch.mean(x, dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, num_groups]
