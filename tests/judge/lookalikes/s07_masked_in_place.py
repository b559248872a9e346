# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: causal_scores
# labels: library_calls
# Takes the narrowest of the limits alone, which all numbers keep then.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        later = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        return x.clamp(-1, 1).masked_fill_(later, float("-inf"))
