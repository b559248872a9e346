# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: symmetric_product
# labels: clock_disagreement library_calls
# Its inputs equal their transposes by the task's definition, so it takes the transposes where rows are faster to read.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.mm(a.t(), b.t())
