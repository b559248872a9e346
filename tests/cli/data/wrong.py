# SPDX-License-Identifier: GPL-3.0-or-later
# A candidate that forgets to add one.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x * 2.0)
