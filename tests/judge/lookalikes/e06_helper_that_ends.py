# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: small_vector_product
# Asks a program how many cores there are while it is built, as set-up code does, and waits for the answer.
import subprocess

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        answer = subprocess.run(["nproc"], capture_output=True, text=True)
        self.cores = int(answer.stdout or 1)

    def forward(self, x):
        return torch.mm(x, self.linear.weight.t()) if self.cores > 0 else self.linear(x)
