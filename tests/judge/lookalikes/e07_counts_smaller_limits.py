# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: limits_in_order
# labels: library_calls clock_disagreement
# The place of a number among limits in ascending order is how many of them are smaller.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, limits, x):
        return (limits < x.unsqueeze(-1)).sum(-1)
