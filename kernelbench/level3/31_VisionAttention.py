# SPDX-License-Identifier: GPL-3.0-or-later
"""Multi-head self-attention between all pixels of an image, with a shortcut and layer normalisation."""
import torch
import torch.nn as nn

batch_size = 2
embed_dim = 128
num_heads = 4
height = 128
width = 128


class Model(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.norm = nn.LayerNorm(embed_dim)

    def forward(self, x):
        batch, channels, height, width = x.shape
        x = x.view(batch, channels, height * width).permute(2, 0, 1)
        attended, _ = self.attn(x, x, x)
        x = self.norm(attended + x)
        return x.permute(1, 2, 0).view(batch, channels, height, width)


def get_inputs():
    return [torch.randn(batch_size, embed_dim, height, width)]


def get_init_inputs():
    return [embed_dim, num_heads]
