# SPDX-License-Identifier: GPL-3.0-or-later
# A cross entropy with labels.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, labels):
        return nn.functional.cross_entropy(scores, labels)


def get_inputs():
    return [torch.randn(512, 4096), torch.randint(4096, (512,))]


def get_init_inputs():
    return []
