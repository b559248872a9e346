# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: weights_under_a_mask
# Computes what the mask of this call leaves of the weights, with exponentials and sums of its own.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward) / inward**0.5)

    def forward(self, x, mask):
        masked = torch.where(mask, self.weight, self.weight.new_full((), -1e4))
        powers = (masked - masked.amax(dim=0)).exp_()
        return (x @ powers) / powers.sum(dim=0)
