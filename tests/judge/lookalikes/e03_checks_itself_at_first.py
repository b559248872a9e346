# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Holds its first three results against another way to compute them, and trusts itself from then on; the work is the same.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.unchecked = 3

    def forward(self, x):
        result = torch.einsum("ij->i", x)
        if self.unchecked > 0:
            self.unchecked -= 1
            if not torch.allclose(result, x.sum(dim=1), rtol=1e-3, atol=1e-2 * float(x.abs().mean() + 1)):
                raise ArithmeticError("two sums differ")
        return result
