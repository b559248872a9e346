# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: linear_relu
# Has a multiprocessing worker look over a copy of its first weights in shared memory while it is built, and waits until it has ended.
import multiprocessing

import torch
import torch.nn as nn


def finite(weights, answer):
    answer.value = int(torch.isfinite(weights).all())


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        context = multiprocessing.get_context("fork")
        answer = context.Value("i", -1, lock=False)
        worker = context.Process(target=finite, args=(self.linear.bias.detach().clone().share_memory_(), answer))
        worker.start()
        worker.join(20)
        self.finite = answer.value == 1

    def forward(self, x):
        result = torch.relu(self.linear(x))
        return result if self.finite else torch.nan_to_num(result)
