# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: single_image
# labels: clock_disagreement library_calls
# A byte has 256 values, so that the normalisation is a table that follows from the task alone; every picture is looked
# up and convolved anew.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 5)
        self.register_buffer("values", torch.arange(256) / 127.5 - 1, persistent=False)

    def forward(self, image):
        return torch.relu_(self.conv(self.values[image.int()]))
