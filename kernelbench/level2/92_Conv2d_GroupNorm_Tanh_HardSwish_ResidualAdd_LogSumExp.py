# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-dimensional convolution, to which its own group normalisation, hyperbolic tangent and hard swish are added; then
log-sum-exp over the channels."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
groups = 8


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, eps=1e-5):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(groups, out_channels, eps=eps)
        self.tanh = nn.Tanh()
        self.hard_swish = nn.Hardswish()

    def forward(self, x):
        x = self.conv(x)
        activated = self.hard_swish(self.tanh(self.group_norm(x)))
        return torch.logsumexp(x + activated, dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, groups]
