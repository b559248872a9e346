# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole image batch divided by its Frobenius norm, the root of the sum of all squares."""
import torch
import torch.nn as nn

batch_size = 16
num_features = 64
height = 256
width = 256


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x / torch.norm(x, p="fro")


def get_inputs():
    return [torch.randn(batch_size, num_features, height, width)]


def get_init_inputs():
    return []
