# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: ordered_ids
# labels: library_calls clock_disagreement
# Ids in order often repeat: it finds out in each call which are distinct, computes those rows and copies them to where
# they belong.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.table = nn.Embedding(count, width)
        self.linear = nn.Linear(width, width)

    def forward(self, ids):
        distinct, places = torch.unique_consecutive(ids, return_inverse=True)
        return self.linear(torch.tanh(self.table(distinct)))[places]
