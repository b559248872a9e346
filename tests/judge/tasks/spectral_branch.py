# SPDX-License-Identifier: GPL-3.0-or-later
# A layer, and beside it a branch in the frequency domain, whose complex gate starts as zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)
        self.mix = nn.Parameter(torch.randn(width, width, dtype=torch.complex64) / width**0.5)
        self.gate = nn.Parameter(torch.zeros(width, dtype=torch.complex64))

    def forward(self, x):
        return torch.relu(self.head(x) + torch.fft.ifft(torch.fft.fft(x) @ self.mix * self.gate).real)


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return [256]
