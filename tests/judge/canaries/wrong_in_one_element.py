# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: fading_chain
# expect: incorrect
# Computes everything, and then gets a single element wrong.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(40):
            x = x * 0.9
        x[-1, -1] += x.abs().max() + 1.0
        return x
