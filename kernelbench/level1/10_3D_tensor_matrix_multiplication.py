# SPDX-License-Identifier: GPL-3.0-or-later
"""Every matrix of a batch times one shared matrix: C[i] = A[i] B."""
import torch
import torch.nn as nn

batch_size = 16
M = 1024
K = 2048
N = 768


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.matmul(A, B)


def get_inputs():
    A = torch.randn(batch_size, M, K)
    B = torch.randn(K, N)
    return [A, B]


def get_init_inputs():
    return []
