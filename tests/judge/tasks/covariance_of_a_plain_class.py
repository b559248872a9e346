# SPDX-License-Identifier: GPL-3.0-or-later
# Keeps a running covariance of its input, and is no module of the framework.
import torch


class Model:
    def __init__(self, width):
        self.covariance = torch.zeros(width, width)

    def to(self, device):
        self.covariance = self.covariance.to(device)
        return self

    def __call__(self, x):
        self.covariance.lerp_(x.mT @ x / len(x), 0.1)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
