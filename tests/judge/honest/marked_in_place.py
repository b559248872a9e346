# SPDX-License-Identifier: GPL-3.0-or-later
# Writes all of the memory that the caller gives.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, out, ids):
        return out.fill_(0).scatter_(1, ids[:, None], 1.0)
