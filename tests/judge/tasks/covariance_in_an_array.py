# SPDX-License-Identifier: GPL-3.0-or-later
# Keeps a running covariance of its input in an array of numpy.
import numpy as np
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.covariance = np.zeros((width, width), dtype=np.float32)

    def forward(self, x):
        self.covariance += 0.1 * ((x.mT @ x / len(x)).cpu().numpy() - self.covariance)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
