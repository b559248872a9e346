# SPDX-License-Identifier: GPL-3.0-or-later
# Keeps a running covariance of its input in an object of a class of its own.
import torch
import torch.nn as nn


class Statistics:
    def __init__(self, width):
        self.covariance = torch.zeros(width, width)

    def update(self, x):
        self.covariance = self.covariance.to(x.device)
        self.covariance.lerp_(x.mT @ x / len(x), 0.1)


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.statistics = Statistics(width)

    def forward(self, x):
        self.statistics.update(x)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
