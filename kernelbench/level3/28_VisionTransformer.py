# SPDX-License-Identifier: GPL-3.0-or-later
"""Vision transformer: image patches and a class token through transformer encoder layers, then a small perceptron."""
import torch
import torch.nn as nn

batch_size = 2
image_size = 224
patch_size = 16
num_classes = 10
dim = 512
depth = 6
heads = 8
mlp_dim = 2048
channels = 3
dropout = 0.0
emb_dropout = 0.0


class Model(nn.Module):
    def __init__(self, image_size, patch_size, num_classes, dim, depth, heads, mlp_dim, channels=3, dropout=0.1,
                 emb_dropout=0.1):
        super().__init__()
        num_patches = (image_size // patch_size) ** 2
        self.patch_size = patch_size
        self.patch_dim = channels * patch_size ** 2
        self.pos_embedding = nn.Parameter(torch.randn(1, num_patches + 1, dim))
        self.patch_to_embedding = nn.Linear(self.patch_dim, dim)
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim))
        self.dropout = nn.Dropout(emb_dropout)
        # The layers take the batch as their sequence: the input is (batch, patches, dim), not (patches, batch, dim).
        layer = nn.TransformerEncoderLayer(dim, heads, mlp_dim, dropout)
        self.transformer = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.to_cls_token = nn.Identity()
        self.mlp_head = nn.Sequential(
            nn.Linear(dim, mlp_dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(mlp_dim, num_classes),
        )

    def forward(self, img):
        size = self.patch_size
        # Rows run through memory: they hold neighbouring patches of one channel rather than all channels of one patch.
        patches = img.unfold(2, size, size).unfold(3, size, size).reshape(img.size(0), -1, self.patch_dim)
        x = self.patch_to_embedding(patches)
        cls_tokens = self.cls_token.expand(img.size(0), -1, -1)
        x = torch.cat([cls_tokens, x], dim=1)
        x += self.pos_embedding
        x = self.transformer(self.dropout(x))
        return self.mlp_head(self.to_cls_token(x[:, 0]))


def get_inputs():
    return [torch.randn(batch_size, channels, image_size, image_size)]


def get_init_inputs():
    return [image_size, patch_size, num_classes, dim, depth, heads, mlp_dim, channels, dropout, emb_dropout]
