# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gated_chain
# labels: library_calls
# Copies its input once and works in place on the copy, so that the input stays as it was.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gate):
        own = x.clone()
        for _ in range(24):
            own.mul_(1.1).tanh_()
        return own.mul_(gate)
