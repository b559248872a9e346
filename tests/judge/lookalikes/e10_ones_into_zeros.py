# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: marked_ids
# labels: clock_disagreement
# Takes new memory, fills it with zeros and writes the ones.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, ids):
        return torch.zeros(len(ids), 2048, device=ids.device).scatter_(1, ids[:, None], 1.0)
