# SPDX-License-Identifier: GPL-3.0-or-later
# A softmax over the places that a mask leaves.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, mask):
        return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


def get_inputs():
    return [torch.randn(8, 256, 256), torch.rand(8, 256, 256) < 0.5]


def get_init_inputs():
    return []
