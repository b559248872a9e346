# SPDX-License-Identifier: GPL-3.0-or-later
"""Triplet margin loss: mean(max(|anchor - positive| - |anchor - negative| + margin, 0)) with Euclidean norms of
rows."""
import torch
import torch.nn as nn

batch_size = 128
features = 4096
margin = 1.0


class Model(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.loss_fn = nn.TripletMarginLoss(margin=margin)

    def forward(self, anchor, positive, negative):
        return self.loss_fn(anchor, positive, negative)


def get_inputs():
    anchor = torch.randn(batch_size, features)
    positive = torch.randn(batch_size, features)
    negative = torch.randn(batch_size, features)
    return [anchor, positive, negative]


def get_init_inputs():
    return [margin]
