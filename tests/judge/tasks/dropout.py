# SPDX-License-Identifier: GPL-3.0-or-later
# A dropout of half of a nonlinear function's values, by the framework's generator.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(torch.tanh(x), 0.5, True)


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
