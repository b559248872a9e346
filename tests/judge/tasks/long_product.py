# SPDX-License-Identifier: GPL-3.0-or-later
# A product of positive matrices over a very long dimension: each element is a sum of many terms alike.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.rand(32, 32768), torch.rand(32768, 32)]


def get_init_inputs():
    return []
