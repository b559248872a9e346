# SPDX-License-Identifier: GPL-3.0-or-later
# Conjugates of complex numbers, written out.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, z):
        return torch.conj_physical(z * 2)


def get_inputs():
    return [torch.randn(1024, 1024, dtype=torch.complex64)]


def get_init_inputs():
    return []
