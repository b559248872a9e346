# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: histogram_of_ids
# Counts by sorting and by the ends of runs, with whole numbers, so that nothing depends on an order.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, ids):
        ordered = torch.sort(ids.flatten().to(torch.int16)).values
        ends = torch.searchsorted(ordered, torch.arange(1024, dtype=torch.int16), right=True)
        return torch.diff(ends, prepend=torch.zeros(1, dtype=ends.dtype))
