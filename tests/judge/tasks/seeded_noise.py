# SPDX-License-Identifier: GPL-3.0-or-later
# A ReLU with noise from the framework's generator, which a correct candidate draws alike.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) + 0.5 * torch.rand_like(x)


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
