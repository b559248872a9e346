# SPDX-License-Identifier: GPL-3.0-or-later
# Turns vectors by quaternions of length one.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, v):
        real, axis = q[:, :1], q[:, 1:]
        twice = 2 * torch.cross(axis, v, dim=1)
        return v + real * twice + torch.cross(axis, twice, dim=1)


def get_inputs():
    return [nn.functional.normalize(torch.randn(4096, 4), dim=1), torch.randn(4096, 3)]


def get_init_inputs():
    return []
