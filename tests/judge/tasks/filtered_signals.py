# SPDX-License-Identifier: GPL-3.0-or-later
# Complex signals, each filtered in its spectrum.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(length))

    def forward(self, z):
        return torch.fft.ifft(torch.fft.fft(z) * self.gain)


def get_inputs():
    return [torch.randn(64, 4096, dtype=torch.complex64)]


def get_init_inputs():
    return [4096]
