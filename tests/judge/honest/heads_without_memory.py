# SPDX-License-Identifier: GPL-3.0-or-later
# Writes out every repeated head.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, times):
        super().__init__()
        self.times = times

    def forward(self, keys):
        own = torch.clamp(keys, min=0)
        batch, heads, length, width = own.shape
        a, b, c, d = own.stride()
        return own.as_strided((batch, heads, self.times, length, width), (a, b, 0, c, d)).contiguous()
