# SPDX-License-Identifier: GPL-3.0-or-later
"""Layer normalisation over channels, height and width of an image batch, with a learnt scale and shift."""
import torch
import torch.nn as nn

batch_size = 16
features = 64
height = 256
width = 256


class Model(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return self.ln(x)


def get_inputs():
    return [torch.randn(batch_size, features, height, width)]


def get_init_inputs():
    return [(features, height, width)]
