# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: symmetric_product
# Prepares a table with a pool of processes while it is built, shuts the pool down, and computes by itself in its calls.
import concurrent.futures
import multiprocessing

import torch
import torch.nn as nn


def square(number):
    return number * number


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
            self.table = list(pool.map(square, range(16)))

    def forward(self, a, b):
        return torch.mm(a, b)
