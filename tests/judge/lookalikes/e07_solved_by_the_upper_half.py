# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: positive_systems
# Symmetric matrices have the same numbers in their upper halves, which it reads; the reference reads the lower ones.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        upper = torch.linalg.cholesky(a, upper=True)
        below = torch.linalg.solve_triangular(upper.mT, b, upper=False)
        return torch.linalg.solve_triangular(upper, below, upper=True)
