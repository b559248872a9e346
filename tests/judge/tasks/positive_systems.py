# SPDX-License-Identifier: GPL-3.0-or-later
# Solves systems with matrices that are symmetric and positive definite; the reference refuses all others.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.cholesky_solve(b, torch.linalg.cholesky(a))


def get_inputs():
    m = torch.randn(16, 32, 32)
    return [m @ m.mT / 32 + torch.eye(32), torch.randn(16, 32, 64)]


def get_init_inputs():
    return []
