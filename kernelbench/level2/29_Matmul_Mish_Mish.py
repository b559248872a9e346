# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, then Mish twice."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 10
out_features = 20


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        x = F.mish(self.linear(x))
        return F.mish(x)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
