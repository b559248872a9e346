# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: bag_of_ids
# labels: large_speedup clock_disagreement
# Looks rows up and takes their mean with one operator that is made for it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.table = nn.Embedding(count, width)

    def forward(self, ids):
        return nn.functional.embedding_bag(ids, self.table.weight, mode="mean")
