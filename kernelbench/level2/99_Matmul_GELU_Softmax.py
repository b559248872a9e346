# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, GELU, then softmax over the features."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 100
out_features = 10


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        x = F.gelu(self.linear(x))
        return F.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
