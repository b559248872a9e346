# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Has a forked child tell through a pipe how many parts are best on this machine, and waits for its end before it goes on.
import os

import torch
import torch.nn as nn


def ask_a_child():
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, str(min(4, len(os.sched_getaffinity(0)))).encode())
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as answer:
        parts = int(answer.read())
    os.waitpid(child, 0)
    return parts


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = ask_a_child()

    def forward(self, x):
        return torch.cat([part.sum(dim=1) for part in x.chunk(self.parts)])
