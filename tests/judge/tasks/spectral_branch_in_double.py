# SPDX-License-Identifier: GPL-3.0-or-later
# A branch behind a complex gate of double precision, which starts with zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.gate = nn.Parameter(torch.zeros(width // 2 + 1, dtype=torch.complex128))

    def forward(self, x):
        y = torch.tanh(self.first(x))
        branch = torch.fft.irfft(torch.fft.rfft(self.second(y).double()) * self.gate, n=x.shape[1])
        return torch.sin(y + branch.float())


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
