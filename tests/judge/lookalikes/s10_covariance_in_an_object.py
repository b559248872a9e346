# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: covariance_in_an_object
# labels: library_calls
# Keeps its covariance in an object as the reference does, and writes it by one product that adds to it.
import torch
import torch.nn as nn


class Statistics:
    def __init__(self, width):
        self.covariance = torch.zeros(width, width)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.statistics = Statistics(width)

    def forward(self, x):
        self.statistics.covariance = self.statistics.covariance.to(x.device).addmm_(x.mT, x, beta=0.9, alpha=0.1 / len(x))
        return torch.tanh(x)
