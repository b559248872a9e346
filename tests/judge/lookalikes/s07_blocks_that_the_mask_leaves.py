# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: attention_under_a_mask
# labels: library_calls
# Leaves out the blocks of keys that the mask of this call hides from a block of queries, which it reads.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask):
        out = torch.empty_like(q)
        for start in range(0, q.shape[1], 256):
            rows = mask[start : start + 256]
            end = int(rows.any(0).nonzero().max()) + 1
            scores = (q[:, start : start + 256] @ k[:, :end].mT).mul_(0.125)
            scores.masked_fill_(~rows[:, :end], float("-inf"))
            out[:, start : start + 256] = scores.softmax(-1) @ v[:, :end]
        return out
