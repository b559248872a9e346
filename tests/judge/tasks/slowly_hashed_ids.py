# SPDX-License-Identifier: GPL-3.0-or-later
# A number made of each of many ids, by forty sines; 4.6 MiB of ids, of which hardly two are equal.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, ids):
        x = ids.to(torch.float32) * 2.0**-30
        total = x
        for step in range(1, 41):
            total = total + torch.sin(x * step) / step
        return total


def get_inputs():
    return [torch.randint(2**31 - 1, (1200, 1000), dtype=torch.int32)]


def get_init_inputs():
    return []
