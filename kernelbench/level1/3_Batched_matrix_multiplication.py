# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of a batch of matrix pairs: C[i] = A[i] B[i]."""
import torch
import torch.nn as nn

batch_size = 128
M = 128
K = 256
N = 512


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.bmm(A, B)


def get_inputs():
    A = torch.randn(batch_size, M, K)
    B = torch.randn(batch_size, K, N)
    return [A, B]


def get_init_inputs():
    return []
