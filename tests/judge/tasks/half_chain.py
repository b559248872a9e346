# SPDX-License-Identifier: GPL-3.0-or-later
# Rows in half precision, each by itself.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for _ in range(4):
            x = torch.softmax(torch.relu(x), dim=1) * 10
        return x


def get_inputs():
    return [torch.randn(256, 4096).half()]


def get_init_inputs():
    return []
