# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: masked_softmax
# labels: clock_disagreement
# Adds a large negative number where the mask says so, made of the mask of the call in one pass.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, scores, mask):
        return torch.softmax(torch.where(mask, scores, torch.full((), -1e9, device=scores.device)), dim=-1)
