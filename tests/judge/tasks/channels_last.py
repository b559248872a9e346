# SPDX-License-Identifier: GPL-3.0-or-later
# An image with its channels moved to the end and written out.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 3, 1).contiguous()


def get_inputs():
    return [torch.randn(8, 24, 96, 64)]


def get_init_inputs():
    return []
