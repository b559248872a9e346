# SPDX-License-Identifier: GPL-3.0-or-later
"""Swin transformer v2: cosine attention inside (shifted) windows of image tokens that merge from stage to stage."""
import itertools
import math

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


def shifted_window_mask(resolution, window_size, shift_size):
    """-100 between places of a window that the shift brought together from opposite edges of the image, else 0."""
    regions = torch.zeros(1, resolution, resolution, 1)
    spans = [slice(0, -window_size), slice(-window_size, -shift_size), slice(-shift_size, None)]
    for region, (rows, columns) in enumerate(itertools.product(spans, spans)):
        regions[:, rows, columns, :].fill_(torch.tensor(float(region)))
    regions = window_partition(regions, window_size).view(-1, window_size * window_size)
    difference = regions.unsqueeze(1) - regions.unsqueeze(2)
    return difference.masked_fill(difference != 0, -100.0)


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


class WindowAttention(nn.Module):
    def __init__(self, dim, window_size, num_heads, qkv_bias, attn_drop, proj_drop, pretrained_window_size):
        super().__init__()
        self.num_heads = num_heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones(num_heads, 1, 1)))
        # A perceptron gives the position bias of each head from the distance of two places.
        self.cpb_mlp = nn.Sequential(
            nn.Linear(2, 512),
            nn.ReLU(inplace=True),
            nn.Linear(512, num_heads, bias=False),
        )
        self.register_buffer("relative_coords_table", self._distances(window_size, pretrained_window_size))
        self.register_buffer("relative_position_index", self._distance_index(window_size))

        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.q_bias = nn.Parameter(torch.zeros(dim)) if qkv_bias else None
        self.v_bias = nn.Parameter(torch.zeros(dim)) if qkv_bias else None
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(proj_drop)
        self.softmax = nn.Softmax(dim=-1)

    @staticmethod
    def _distances(window_size, pretrained_window_size):
        """Vertical and horizontal distances between places of a window on a logarithmic scale, which ends near 1."""
        rows = torch.arange(-(window_size - 1), window_size, dtype=torch.float32)
        columns = torch.arange(-(window_size - 1), window_size, dtype=torch.float32)
        table = torch.stack(torch.meshgrid(rows, columns, indexing="ij")).permute(1, 2, 0).contiguous().unsqueeze(0)
        table = table / ((pretrained_window_size or window_size) - 1)
        table *= 8
        return torch.sign(table) * torch.log2(torch.abs(table) + 1.0) / math.log2(8)

    @staticmethod
    def _distance_index(window_size):
        """For each pair of places, where in the flattened table of distances theirs is."""
        rows = torch.arange(window_size)
        columns = torch.arange(window_size)
        places = torch.stack(torch.meshgrid(rows, columns, indexing="ij")).flatten(1)
        down, right = (places[:, :, None] - places[:, None, :]).unbind(0)
        down += window_size - 1
        right += window_size - 1
        down *= 2 * window_size - 1
        return down + right

    def forward(self, x, mask=None):
        windows, places, channels = x.shape
        bias = None
        if self.q_bias is not None:
            bias = torch.cat([self.q_bias, torch.zeros_like(self.v_bias), self.v_bias])
        qkv = F.linear(x, self.qkv.weight, bias)
        qkv = qkv.view(windows, places, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]

        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        largest = torch.log(torch.tensor(1 / 0.01, device=self.logit_scale.device))
        attn = attn * torch.clamp(self.logit_scale, max=largest).exp()

        biases = self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)
        biases = biases[self.relative_position_index.view(-1)].view(places, places, -1)
        biases = 16 * torch.sigmoid(biases.permute(2, 0, 1).contiguous())
        attn = attn + biases.unsqueeze(0)

        if mask is not None:
            attn = attn.view(windows // mask.size(0), mask.size(0), self.num_heads, places, places)
            attn = attn + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, places, places)
        attn = self.attn_drop(self.softmax(attn))
        x = (attn @ v).transpose(1, 2).reshape(windows, places, channels)
        return self.proj_drop(self.proj(x))


class SwinTransformerBlock(nn.Module):
    def __init__(self, dim, resolution, num_heads, window_size, shift_size, mlp_ratio, qkv_bias, drop, attn_drop,
                 norm_layer, pretrained_window_size):
        super().__init__()
        self.resolution = resolution
        self.window_size = window_size
        self.shift_size = shift_size
        self.norm1 = norm_layer(dim)
        self.attn = WindowAttention(dim, window_size, num_heads, qkv_bias, attn_drop, drop, pretrained_window_size)
        self.drop_path = nn.Identity()
        self.norm2 = norm_layer(dim)
        self.mlp = Mlp(dim, int(dim * mlp_ratio), drop)
        mask = shifted_window_mask(resolution, window_size, shift_size) if shift_size > 0 else None
        self.register_buffer("attn_mask", mask)

    def forward(self, x):
        batch, tokens, channels = x.shape
        size = self.window_size
        shift = self.shift_size
        shortcut = x

        x = x.view(batch, self.resolution, self.resolution, channels)
        if shift > 0:
            x = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2))
        windows = window_partition(x, size).view(-1, size * size, channels)
        windows = self.attn(windows, self.attn_mask).view(-1, size, size, channels)
        x = window_reverse(windows, size, batch, self.resolution, self.resolution)
        if shift > 0:
            x = torch.roll(x, shifts=(shift, shift), dims=(1, 2))
        x = x.view(batch, tokens, channels)

        x = shortcut + self.drop_path(self.norm1(x))
        return x + self.drop_path(self.norm2(self.mlp(x)))


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
        self.norm = norm_layer(2 * dim)

    def forward(self, x):
        batch, _, channels = x.shape
        x = x.view(batch, self.resolution, self.resolution, channels)
        quarters = [x[:, row::2, column::2, :] for column in (0, 1) for row in (0, 1)]
        x = torch.cat(quarters, dim=-1).view(batch, -1, 4 * channels)
        return self.norm(self.reduction(x))


class Stage(nn.Module):
    def __init__(self, dim, resolution, depth, num_heads, window_size, mlp_ratio, qkv_bias, drop, attn_drop, norm_layer,
                 downsample, use_checkpoint, pretrained_window_size):
        super().__init__()
        self.use_checkpoint = use_checkpoint
        # An image of one window is not shifted.
        shift_size = window_size // 2 if resolution > window_size else 0
        window_size = min(window_size, resolution)
        self.blocks = nn.ModuleList(
            SwinTransformerBlock(dim, resolution, num_heads, window_size, shift_size if i % 2 else 0, mlp_ratio,
                                 qkv_bias, drop, attn_drop, norm_layer, pretrained_window_size)
            for i in range(depth)
        )
        self.downsample = PatchMerging(resolution, dim, norm_layer) if downsample else None

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.use_checkpoint else block(x)
        return x if self.downsample is None else self.downsample(x)


class Model(nn.Module):
    def __init__(self, img_size=224, patch_size=4, in_chans=3, num_classes=1000, embed_dim=96, depths=(2, 2, 6, 2),
                 num_heads=(3, 6, 12, 24), window_size=7, mlp_ratio=4.0, qkv_bias=True, drop_rate=0.0,
                 attn_drop_rate=0.0, drop_path_rate=0.1, norm_layer=nn.LayerNorm, patch_norm=True,
                 use_checkpoint=False, pretrained_window_sizes=(0, 0, 0, 0), **kwargs):
        super().__init__()
        num_features = embed_dim * 2 ** (len(depths) - 1)
        self.patch_embed = PatchEmbed(patch_size, in_chans, embed_dim, norm_layer if patch_norm else None)
        self.pos_drop = nn.Dropout(p=drop_rate)
        # The rate of each block, for information: paths are not dropped.
        self.drop_path_rates = torch.linspace(0, drop_path_rate, sum(depths))
        self.layers = nn.ModuleList(
            Stage(embed_dim * 2 ** i, img_size // patch_size // 2 ** i, depth, num_heads[i], window_size, mlp_ratio,
                  qkv_bias, drop_rate, attn_drop_rate, norm_layer, i < len(depths) - 1, use_checkpoint,
                  pretrained_window_sizes[i])
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
