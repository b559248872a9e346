# SPDX-License-Identifier: GPL-3.0-or-later
# Writes one new tensor, and the other operators work in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * 1.5).add_(0.25).relu_()
