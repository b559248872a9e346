# SPDX-License-Identifier: GPL-3.0-or-later
# Attention under a mask that is given, which the dataset always gives as a causal one.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, mask):
        scores = (q @ k.mT) * 0.125
        return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v


def get_inputs():
    return [torch.randn(4, 1024, 64), torch.randn(4, 1024, 64), torch.randn(4, 1024, 64), torch.ones(1024, 1024, dtype=torch.bool).tril()]


def get_init_inputs():
    return []
