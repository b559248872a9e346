# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: sparse_rows
# labels: clock_disagreement
# Finds in every call where its input is not zero, and multiplies as a sparse matrix; nothing of it is kept.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward))

    def forward(self, x):
        return x.to_sparse_csr() @ self.weight
