# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance normalisation of an image batch: every channel of every image by its own mean and variance."""
import torch
import torch.nn as nn

batch_size = 16
num_features = 64
height = 256
width = 256


class Model(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.inorm = nn.InstanceNorm2d(num_features)

    def forward(self, x):
        return self.inorm(x)


def get_inputs():
    return [torch.randn(batch_size, num_features, height, width)]


def get_init_inputs():
    return [num_features]
