# SPDX-License-Identifier: GPL-3.0-or-later
# A product with weights of which a triangular mask leaves a part, which sum to one. The mask is the same in each draw.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward) / inward**0.5)

    def forward(self, x, mask):
        return x @ torch.softmax(self.weight.masked_fill(~mask, -1e4), dim=0)


def get_inputs():
    return [torch.randn(8, 512), torch.ones(512, 512, dtype=torch.bool).triu()]


def get_init_inputs():
    return [512, 512]
