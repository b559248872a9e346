# SPDX-License-Identifier: GPL-3.0-or-later
"""Causal self-attention of several heads with ReLU in place of softmax. The output projection has parameters but is not
applied."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
seq_len = 1024
n_embd = 768
n_head = 12
max_seqlen = 1024


class Model(nn.Module):
    def __init__(self, n_embd, n_head, max_seqlen):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        mask = torch.tril(torch.ones(max_seqlen, max_seqlen))
        self.register_buffer("bias", mask.view(1, 1, max_seqlen, max_seqlen))
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x):
        batch, length, _ = x.shape
        query, key, value = [part.view(batch, length, self.n_head, self.n_embd // self.n_head).transpose(1, 2)
                             for part in self.c_attn(x).split(self.n_embd, dim=2)]
        scores = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(key.size(-1)))
        scores = scores.masked_fill(self.bias[:, :, :length, :length] == 0, float("-inf"))
        weights = F.relu(scores)
        return (weights @ value).transpose(1, 2).contiguous().view(batch, length, self.n_embd)


def get_inputs():
    return [torch.randn(batch_size, seq_len, n_embd)]


def get_init_inputs():
    return [n_embd, n_head, max_seqlen]
