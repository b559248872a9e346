# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: places_of_one_text
# labels: library_calls large_speedup
# Adds up the rows between two limits at once, in each call anew.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, words, limits):
        counts = torch.segment_reduce(words[limits[0] + 1 : limits[-1] + 1], "sum", lengths=limits.diff(), axis=0)
        return counts.T @ counts
