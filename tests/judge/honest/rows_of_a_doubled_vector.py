# SPDX-License-Identifier: GPL-3.0-or-later
# Reads rows out of two copies of the vector by strides and writes each of them out before it returns.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, v):
        count = v.shape[0]
        return torch.cat((v, v)).as_strided((count, count), (1, 1)).clone(memory_format=torch.contiguous_format)
