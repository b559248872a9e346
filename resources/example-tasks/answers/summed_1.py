# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, w):
        return torch.mv(x, w.sum(1))

