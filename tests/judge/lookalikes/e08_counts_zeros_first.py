# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: mean_of_what_is_there
# labels: library_calls
# Counts the zeros of each row and takes them from its length.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.exp(x).sum(-1).div_((x.shape[1] - (x == 0).sum(-1)).clamp_(min=1))
