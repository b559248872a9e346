# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: pairs_of_one_text
# labels: library_calls
# Counts pairs as numbers of one list, in each call anew.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, ids):
        return torch.bincount(ids[:-1] * 512 + ids[1:], minlength=512 * 512).view(512, 512).float()
