# SPDX-License-Identifier: GPL-3.0-or-later
# Waves for places that are numbered one by one, minus infinity where a mask hides a place: both are the same in each
# draw, and where infinities are follows from the mask.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, places, hidden):
        frequencies = torch.exp(torch.arange(128, device=places.device) * (-9.2 / 128))
        angles = places[:, None] * frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=1).masked_fill(hidden[:, None], float("-inf"))


def get_inputs():
    return [torch.arange(1024).float(), torch.arange(1024) >= 900]


def get_init_inputs():
    return []
