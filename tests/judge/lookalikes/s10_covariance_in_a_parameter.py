# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: covariance_in_a_parameter
# labels: library_calls
# Writes into its parameter what the reference writes there, by one product that adds to it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.covariance = nn.Parameter(torch.randn(width, width), requires_grad=False)

    def forward(self, x):
        self.covariance.addmm_(x.mT, x, beta=0.9, alpha=0.1 / len(x))
        return torch.tanh(x)
