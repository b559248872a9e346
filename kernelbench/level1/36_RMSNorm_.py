# SPDX-License-Identifier: GPL-3.0-or-later
"""Root-mean-square normalisation over the channels of an image batch: x / sqrt(mean(x^2) + eps)."""
import torch
import torch.nn as nn

batch_size = 16
num_features = 64
height = 256
width = 256


class Model(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.num_features = num_features
        self.eps = eps

    def forward(self, x):
        rms = torch.sqrt(torch.mean(x ** 2, dim=1, keepdim=True) + self.eps)
        return x / rms


def get_inputs():
    return [torch.randn(batch_size, num_features, height, width)]


def get_init_inputs():
    return [num_features]
