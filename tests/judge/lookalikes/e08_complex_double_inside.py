# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: filtered_signals
# labels: clock_disagreement library_calls
# Computes in double precision and rounds once.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(length))

    def forward(self, z):
        return torch.fft.ifft(torch.fft.fft(z.to(torch.complex128)) * self.gain).to(z.dtype)
