# SPDX-License-Identifier: GPL-3.0-or-later
# A row of True with one False in it for each id.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, ids):
        return torch.ones(ids.shape[0], 8192, dtype=torch.bool, device=ids.device).scatter_(1, ids[:, None], False)


def get_inputs():
    return [torch.randint(8192, (512,))]


def get_init_inputs():
    return []
