# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: normed_rows
# labels: clock_disagreement library_calls uneven_calls
# Computes a batch norm by sums and squares, and writes the running statistics that the reference writes.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.product = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        y = self.product(x)
        variance, mean = torch.var_mean(y, 0, correction=0)
        norm, rows = self.norm, y.shape[0]
        with torch.no_grad():
            norm.running_mean.lerp_(mean, norm.momentum)
            norm.running_var.lerp_(variance * (rows / (rows - 1)), norm.momentum)
            norm.num_batches_tracked.add_(1)
        scale = norm.weight * torch.rsqrt(variance + norm.eps)
        return torch.addcmul(norm.bias - mean * scale, y, scale).relu_()
