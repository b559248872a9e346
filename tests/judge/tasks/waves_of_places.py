# SPDX-License-Identifier: GPL-3.0-or-later
# Waves for places that are numbered one by one, as whole numbers in floating point: they are the same in each draw.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, places):
        frequencies = torch.exp(torch.arange(128, device=places.device) * (-9.2 / 128))
        angles = places[:, None] * frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=1)


def get_inputs():
    return [torch.arange(1024).float()]


def get_init_inputs():
    return []
