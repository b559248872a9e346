# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: seeded_noise
# Reads the generator's seed and state, draws something for itself in between, and puts the state back before it draws what counts.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.seeds = 0

    def forward(self, x):
        self.seeds ^= torch.initial_seed()
        with torch.random.fork_rng(devices=[x.device] if x.is_cuda else []):
            torch.rand(8, device=x.device)
        return torch.relu(x) + 0.5 * torch.rand_like(x)
