# SPDX-License-Identifier: GPL-3.0-or-later
# Which kinds of words stand together, in a text that is always the same: each word is a row that chooses a kind.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, words, limits):
        sums = torch.cumsum(words, 0)[limits]
        counts = sums[1:] - sums[:-1]
        return counts.T @ counts


def get_inputs():
    torch.manual_seed(1)
    words = nn.functional.one_hot(torch.randint(0, 64, (20000,)), 64).float()
    return [words, torch.arange(0, 20000, 50)]


def get_init_inputs():
    return []
