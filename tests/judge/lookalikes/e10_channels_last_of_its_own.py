# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: channels_last
# labels: clock_disagreement library_calls
# Has the framework write a copy in the layout with channels last, and returns that copy with its dimensions named in
# the same order.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.clone(x, memory_format=torch.channels_last).permute(0, 2, 3, 1)
