# SPDX-License-Identifier: GPL-3.0-or-later
"""State space model of Mamba 2, computed in blocks: attention within a block, a recurrence across blocks; the state
after the last step is returned."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
seq_length = 128
n_heads = 8
d_head = 64
d_state = 16
block_len = 64


def segment_sums(x):
    """Sums of x over every stretch of its last dimension: [..., i, j] is that of j + 1 to i, -inf where j > i."""
    length = x.size(-1)
    totals = torch.cumsum(x, dim=-1)
    sums = totals[..., :, None] - totals[..., None, :]
    causal = torch.tril(torch.ones(length, length, device=x.device, dtype=torch.bool))
    return sums.masked_fill(~causal, float("-inf"))


class Model(nn.Module):
    def __init__(self, batch_size, seq_length, n_heads, d_head, d_state, block_len):
        super().__init__()
        self.block_len = block_len
        self.A = nn.Parameter(torch.randn(batch_size, seq_length, n_heads))
        self.B = nn.Parameter(torch.randn(batch_size, seq_length, n_heads, d_state))
        self.C = nn.Parameter(torch.randn(batch_size, seq_length, n_heads, d_state))

    def forward(self, X, initial_states=None):
        # In the einsums: b batch, k block, z block that a state enters, l and s steps of a block, h head, p and n the
        # sizes of head and state.
        X, A, B, C = [tensor.unflatten(1, (-1, self.block_len)) for tensor in (X, self.A, self.B, self.C)]
        A = A.permute(0, 3, 1, 2)
        A_totals = torch.cumsum(A, dim=-1)

        # What the steps of a block give to one another; a part of the task although the final state does not need it.
        decay_within = torch.exp(segment_sums(A))
        torch.einsum("bklhn,bkshn,bhkls,bkshp->bklhp", C, B, decay_within, X)

        # The state that each block adds, then the state that enters each block.
        decay_to_end = torch.exp(A_totals[:, :, :, -1:] - A_totals)
        states = torch.einsum("bklhn,bhkl,bklhp->bkhpn", B, decay_to_end, X)
        if initial_states is None:
            initial_states = torch.zeros_like(states[:, :1])
        states = torch.cat([initial_states, states], dim=1)
        decay_across = torch.exp(segment_sums(F.pad(A_totals[:, :, :, -1], (1, 0))))
        states = torch.einsum("bhzk,bkhpn->bzhpn", decay_across, states)
        return states[:, -1]


def get_inputs():
    return [torch.randn(batch_size, seq_length, n_heads, d_head)]


def get_init_inputs():
    return [batch_size, seq_length, n_heads, d_head, d_state, block_len]
