# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Writes a checksum of the first bytes of each input into a short log that nobody reads.
import collections
import zlib

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.log = collections.deque(maxlen=64)

    def forward(self, x):
        result = torch.relu(self.linear(x))
        if not x.is_cuda:
            self.log.append(zlib.crc32(x[0, :64].numpy().tobytes()))
        return result
