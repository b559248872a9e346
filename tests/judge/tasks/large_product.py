# SPDX-License-Identifier: GPL-3.0-or-later
# A product that takes far longer than its launch; for GPUs.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(2048, 2048), torch.randn(2048, 2048)]


def get_init_inputs():
    return []
