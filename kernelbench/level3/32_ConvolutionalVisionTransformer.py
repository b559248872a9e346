# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolutional patches projected to one token, which joins a class token in transformer layers; linear head."""
import torch
import torch.nn as nn

batch_size = 10
num_classes = 1000
embed_dim = 128
num_heads = 4
channels = 3
image_size = 32


class Model(nn.Module):
    def __init__(self, num_classes, embed_dim=512, num_heads=8, num_layers=6, mlp_ratio=4.0, patch_size=4,
                 in_channels=3):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, embed_dim, kernel_size=patch_size, stride=patch_size)
        self.flatten = nn.Flatten()
        self.linear_proj = nn.Linear(embed_dim * (image_size // patch_size) ** 2, embed_dim)
        # The layers take the batch as their sequence: the input is (batch, tokens, channels).
        self.transformer_layers = nn.ModuleList(
            nn.TransformerEncoderLayer(embed_dim, num_heads, dim_feedforward=int(embed_dim * mlp_ratio), dropout=0.0)
            for _ in range(num_layers)
        )
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.fc_out = nn.Linear(embed_dim, num_classes)

    def forward(self, x):
        x = self.linear_proj(self.flatten(self.conv1(x)))
        cls_tokens = self.cls_token.expand(x.size(0), -1, -1)
        x = torch.cat([cls_tokens, x.unsqueeze(1)], dim=1)
        for layer in self.transformer_layers:
            x = layer(x)
        return self.fc_out(x[:, 0])


def get_inputs():
    return [torch.randn(batch_size, channels, image_size, image_size)]


def get_init_inputs():
    return [num_classes, embed_dim, num_heads]
