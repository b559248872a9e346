# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: fading_chain
# expect: incorrect
# Leaves out one step of forty, so that every element is wrong by a ninth.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(39):
            x = x * 0.9
        return x
