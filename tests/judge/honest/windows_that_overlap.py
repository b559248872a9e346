# SPDX-License-Identifier: GPL-3.0-or-later
# Writes out every window.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.mul(x, 0.5).unfold(1, 256, 8).contiguous()
