# SPDX-License-Identifier: GPL-3.0-or-later
"""Transposed convolution, mean of each channel, a learnt bias, log-sum-exp over the channels, sum over the image and
times ten."""
import torch
import torch.nn as nn

batch_size = 128
in_channels = 3
out_channels = 16
height = 32
width = 32
kernel_size = 3
bias_shape = (out_channels, 1, 1)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        x = torch.mean(self.conv_transpose(x), dim=(2, 3), keepdim=True)
        x = torch.logsumexp(x + self.bias, dim=1, keepdim=True)
        return torch.sum(x, dim=(2, 3)) * 10.0


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, bias_shape]
