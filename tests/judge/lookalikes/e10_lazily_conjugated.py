# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: conjugates
# labels: clock_disagreement library_calls
# Its result is conjugated only when somebody reads it, which the framework does for every reader: the same values.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, z):
        return torch.mul(z, 2).conj()
