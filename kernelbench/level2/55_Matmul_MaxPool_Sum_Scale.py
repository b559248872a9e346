# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, max pooling along its features, their sum, times a constant."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 10
out_features = 5
kernel_size = 2
scale_factor = 0.5


class Model(nn.Module):
    def __init__(self, in_features, out_features, kernel_size, scale_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.max_pool = nn.MaxPool1d(kernel_size)
        self.scale_factor = scale_factor

    def forward(self, x):
        x = self.matmul(x)
        x = self.max_pool(x.unsqueeze(1)).squeeze(1)
        return torch.sum(x, dim=1) * self.scale_factor


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, kernel_size, scale_factor]
