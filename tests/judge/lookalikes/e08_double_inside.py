# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_mean
# labels: clock_disagreement
# Sums in double precision and rounds once: more exact than the reference, in every call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.mean(dim=1, keepdim=True, dtype=torch.float64).to(x.dtype)
