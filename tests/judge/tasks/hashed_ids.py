# SPDX-License-Identifier: GPL-3.0-or-later
# A number made of each of many ids, one by one, in a way that takes long; 4.6 MiB of ids.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, ids):
        x = ids.to(torch.float32) * 2.0**-30
        for step in range(12):
            x = torch.sin(x * 2.2 + step) + 0.1 * x
        return x


def get_inputs():
    return [torch.randint(2**31 - 1, (1200, 1000), dtype=torch.int32)]


def get_init_inputs():
    return []
