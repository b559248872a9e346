# SPDX-License-Identifier: GPL-3.0-or-later
# One image of bytes, normalised and convolved.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 5)

    def forward(self, image):
        return torch.relu(self.conv(image.float() / 127.5 - 1))


def get_inputs():
    return [torch.randint(256, (1, 3, 160, 160), dtype=torch.uint8)]


def get_init_inputs():
    return [16]
