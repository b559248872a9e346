# SPDX-License-Identifier: GPL-3.0-or-later
"""Group normalisation of an image batch, with a learnt scale and shift for each channel."""
import torch
import torch.nn as nn

batch_size = 16
num_features = 64
height = 256
width = 256
num_groups = 8


class Model(nn.Module):
    def __init__(self, num_features, num_groups):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups, num_features)

    def forward(self, x):
        return self.gn(x)


def get_inputs():
    return [torch.randn(batch_size, num_features, height, width)]


def get_init_inputs():
    return [num_features, num_groups]
