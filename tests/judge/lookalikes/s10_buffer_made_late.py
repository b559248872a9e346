# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: covariance_behind_a_late_buffer
# labels: library_calls
# Makes a buffer in its first call, as the reference does, and adds the product to its statistics in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("scale", None)
        self.register_buffer("covariance", torch.zeros(width, width))

    def forward(self, x):
        if self.scale is None:
            self.scale = torch.ones(())
        self.covariance.addmm_(x.mT, x, beta=0.9, alpha=0.1 / len(x))
        return torch.tanh(x * self.scale)
