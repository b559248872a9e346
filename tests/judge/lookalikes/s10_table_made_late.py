# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: table_in_an_attribute
# labels: library_calls
# Makes its table when it is built, where the reference does so in its first call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("table", torch.arange(width).div(width).cos())

    def forward(self, x):
        return torch.tanh(torch.addcmul(x.square(), x, self.table))
