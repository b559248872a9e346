# SPDX-License-Identifier: GPL-3.0-or-later
# Long rows of zeros with a one in each, multiplied by one again and again: a call takes more than 200 ms on most machines.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, ids):
        rows = torch.zeros(ids.shape[0], 65536, dtype=torch.int32, device=ids.device).scatter_(1, ids[:, None], 1)
        for _ in range(8):
            rows = rows * 1
        return rows


def get_inputs():
    return [torch.randint(65536, (256,))]


def get_init_inputs():
    return []
