# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: fading_chain
# expect: faster
# The same function in twenty steps instead of forty.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(20):
            x = x * 0.81
        return x
