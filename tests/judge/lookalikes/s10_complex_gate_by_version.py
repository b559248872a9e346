# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: spectral_branch_in_double
# Prepares the gate anew for each version of it, and leaves out the branch for a gate of zero.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.gate = nn.Parameter(torch.zeros(width // 2 + 1, dtype=torch.complex128))
        self.version, self.open = None, True

    def forward(self, x):
        if self.version != self.gate._version:
            self.version, self.open = self.gate._version, bool(self.gate.any())
        y = self.first(x).tanh_()
        if self.open:
            y += torch.fft.irfft(torch.fft.rfft(self.second(y).double()).mul_(self.gate), n=x.shape[1]).float()
        return y.sin_()
