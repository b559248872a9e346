# SPDX-License-Identifier: GPL-3.0-or-later
# Keeps a running covariance of its input in a buffer, from its fourth call on, as averages that start after some steps.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("covariance", torch.eye(width))
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        if self.steps > 3:
            self.covariance.lerp_(x.mT @ x / len(x), 0.1)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
