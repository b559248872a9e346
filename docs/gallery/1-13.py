# SPDX-License-Identifier: GPL-3.0-or-later
"""Product of two symmetric matrices: C = A B."""
import torch
import torch.nn as nn

# Each switch turns one optimisation on or off; with all of them off this is the original computation.
USE_TF32 = True  # declared lower precision: products and convolutions may round their factors to TF32
if USE_TF32:
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True

N = 4096


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def original(self, A, B):
        return torch.matmul(A, B)

    def forward(self, A, B):
        return self.original(A, B)
