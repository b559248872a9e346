# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: sorted_rows
# labels: library_calls uneven_calls
# Sorts for the places alone, and gathers the numbers.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        places = torch.argsort(x, dim=1, stable=True)
        return x.gather(1, places), places
