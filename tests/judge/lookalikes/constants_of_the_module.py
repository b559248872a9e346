# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: masked_sum
# labels: library_calls
# Keeps constants that follow from the constructor's arguments in a table of its module, by argument and device.
import torch
import torch.nn as nn

masks = {}


def mask_for(length, device):
    key = (length, str(device))
    if key not in masks:
        rows = torch.arange(length, device=device)
        masks[key] = (rows[:, None] >= rows).to(torch.float32) / length
    return masks[key]


class ModelNew(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.length = length

    def forward(self, x):
        scores = torch.matmul(x, x.mT) * mask_for(self.length, x.device)
        return torch.matmul(torch.relu(scores), x)
