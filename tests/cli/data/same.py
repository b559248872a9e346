# SPDX-License-Identifier: GPL-3.0-or-later
# A candidate that computes what the task 1/1 beside it asks for.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(torch.add(torch.mul(x, 2.0), 1.0))
