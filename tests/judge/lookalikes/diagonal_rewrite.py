# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: diagonal_product
# labels: large_speedup clock_disagreement
# A product with a diagonal matrix is a scaling of rows; far fewer operations than the reference, and the same
# function.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, d, b):
        return d.unsqueeze(1) * b
