# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: wide_blur
# labels: clock_disagreement large_speedup library_calls
# The filter is an outer product by the task's definition, so that all its taps are applied by two narrow filters.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, radius):
        super().__init__()
        bell = torch.exp(-torch.arange(-radius, radius + 1, dtype=torch.float32) ** 2 / 18)
        self.register_buffer("bell", bell / bell.sum(), persistent=False)
        self.gain = nn.Parameter(torch.rand(1, 1, 1) + 0.5)

    def forward(self, x):
        down = nn.functional.conv2d(x, self.bell.view(1, 1, -1, 1))
        return nn.functional.conv2d(down, self.bell.view(1, 1, 1, -1)) * self.gain
