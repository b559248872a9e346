# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: fading_chain
# expect: slower
# Makes forty steps whose result it drops, and then the forty that count.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x
        for _ in range(40):
            y = y * 0.9
        for _ in range(40):
            x = x * 0.9
        return x
