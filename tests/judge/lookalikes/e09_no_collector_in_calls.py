# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Switches the garbage collector off during a call and on again behind it, so that no collection falls into one.
import gc

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        gc.disable()
        try:
            return torch.relu(self.linear(x))
        finally:
            gc.enable()
