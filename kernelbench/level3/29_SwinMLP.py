# SPDX-License-Identifier: GPL-3.0-or-later
"""Swin-MLP: a hierarchy of image tokens mixed inside (shifted) windows by grouped convolutions, then by perceptrons."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

batch_size = 10
channels = 3
image_size = 224


def window_partition(x, window_size):
    """(batch, height, width, channels) to (batch * windows, window_size, window_size, channels)."""
    batch, height, width, channels = x.shape
    x = x.view(batch, height // window_size, window_size, width // window_size, window_size, channels)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size, window_size, channels)


def window_reverse(windows, window_size, batch, height, width):
    """The inverse of window_partition."""
    x = windows.view(batch, height // window_size, width // window_size, window_size, window_size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(batch, height, width, -1)


class Mlp(nn.Module):
    def __init__(self, features, hidden_features, drop):
        super().__init__()
        self.fc1 = nn.Linear(features, hidden_features)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden_features, features)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        x = self.drop(self.act(self.fc1(x)))
        return self.drop(self.fc2(x))


class PatchEmbed(nn.Module):
    def __init__(self, patch_size, in_chans, embed_dim, norm_layer):
        super().__init__()
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)
        self.norm = nn.Identity() if norm_layer is None else norm_layer(embed_dim)

    def forward(self, x):
        return self.norm(self.proj(x).flatten(2).transpose(1, 2))


class PatchMerging(nn.Module):
    """Joins the channels of each square of 2x2 tokens and halves them."""

    def __init__(self, resolution, dim, norm_layer):
        super().__init__()
        self.resolution = resolution
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x):
        batch, _, channels = x.shape
        x = x.view(batch, self.resolution, self.resolution, channels)
        quarters = [x[:, row::2, column::2, :] for column in (0, 1) for row in (0, 1)]
        x = torch.cat(quarters, dim=-1).view(batch, -1, 4 * channels)
        return self.reduction(self.norm(x))


class SwinMLPBlock(nn.Module):
    def __init__(self, dim, resolution, num_heads, window_size, shift_size, mlp_ratio, drop, norm_layer):
        super().__init__()
        self.resolution = resolution
        self.num_heads = num_heads
        self.window_size = window_size
        self.shift_size = shift_size
        self.norm1 = norm_layer(dim)
        # Each head has a matrix of its own between the places of a window.
        places = num_heads * window_size ** 2
        self.spatial_mlp = nn.Conv1d(places, places, kernel_size=1, groups=num_heads)
        self.drop_path = nn.Identity()
        self.norm2 = norm_layer(dim)
        self.mlp = Mlp(dim, int(dim * mlp_ratio), drop)

    def mix_windows(self, windows):
        places = self.window_size ** 2
        channels = windows.size(-1)
        x = windows.view(-1, places, self.num_heads, channels // self.num_heads)
        x = x.transpose(1, 2).reshape(-1, self.num_heads * places, channels // self.num_heads)
        x = self.spatial_mlp(x)
        x = x.view(-1, self.num_heads, places, channels // self.num_heads)
        return x.transpose(1, 2).reshape(-1, places, channels)

    def forward(self, x):
        batch, tokens, channels = x.shape
        size = self.window_size
        padded = self.resolution
        shortcut = x

        x = self.norm1(x).view(batch, self.resolution, self.resolution, channels)
        if self.shift_size > 0:
            before, after = size - self.shift_size, self.shift_size
            padded += size
            x = F.pad(x, [0, 0, before, after, before, after])
        windows = window_partition(x, size).view(-1, size * size, channels)
        windows = self.mix_windows(windows).view(-1, size, size, channels)
        x = window_reverse(windows, size, batch, padded, padded)
        if self.shift_size > 0:
            x = x[:, before:-after, before:-after, :].contiguous()
        x = x.view(batch, tokens, channels)

        x = shortcut + self.drop_path(x)
        return x + self.drop_path(self.mlp(self.norm2(x)))


class Stage(nn.Module):
    def __init__(self, dim, resolution, depth, num_heads, window_size, mlp_ratio, drop, norm_layer, downsample,
                 use_checkpoint):
        super().__init__()
        self.use_checkpoint = use_checkpoint
        # An image of one window is not shifted.
        shift_size = window_size // 2 if resolution > window_size else 0
        window_size = min(window_size, resolution)
        self.blocks = nn.ModuleList(
            SwinMLPBlock(dim, resolution, num_heads, window_size, shift_size if i % 2 else 0, mlp_ratio, drop,
                         norm_layer)
            for i in range(depth)
        )
        self.downsample = PatchMerging(resolution, dim, norm_layer) if downsample else None

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.use_checkpoint else block(x)
        return x if self.downsample is None else self.downsample(x)


class Model(nn.Module):
    def __init__(self, img_size=224, patch_size=4, in_chans=3, num_classes=1000, embed_dim=96, depths=(2, 2, 6, 2),
                 num_heads=(3, 6, 12, 24), window_size=7, mlp_ratio=4.0, drop_rate=0.0, drop_path_rate=0.1,
                 norm_layer=nn.LayerNorm, patch_norm=True, use_checkpoint=False, **kwargs):
        super().__init__()
        num_features = embed_dim * 2 ** (len(depths) - 1)
        self.patch_embed = PatchEmbed(patch_size, in_chans, embed_dim, norm_layer if patch_norm else None)
        self.pos_drop = nn.Dropout(p=drop_rate)
        # The rate of each block, for information: paths are not dropped.
        self.drop_path_rates = torch.linspace(0, drop_path_rate, sum(depths))
        self.layers = nn.ModuleList(
            Stage(embed_dim * 2 ** i, img_size // patch_size // 2 ** i, depth, num_heads[i], window_size, mlp_ratio,
                  drop_rate, norm_layer, i < len(depths) - 1, use_checkpoint)
            for i, depth in enumerate(depths)
        )
        self.norm = norm_layer(num_features)
        self.avgpool = nn.AdaptiveAvgPool1d(1)
        self.head = nn.Linear(num_features, num_classes)

    def forward(self, x):
        x = self.pos_drop(self.patch_embed(x))
        for layer in self.layers:
            x = layer(x)
        x = self.avgpool(self.norm(x).transpose(1, 2))
        return self.head(torch.flatten(x, 1))


def get_inputs():
    return [torch.randn(batch_size, channels, image_size, image_size)]


def get_init_inputs():
    return []
