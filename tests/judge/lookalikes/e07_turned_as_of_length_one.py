# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: turned_vectors
# labels: library_calls clock_disagreement
# Another formula for the same turn. Both hold for quaternions of length one, and differ for others.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, v):
        real, axis = q[:, :1], q[:, 1:]
        along = (axis * v).sum(1, keepdim=True)
        length = (axis * axis).sum(1, keepdim=True)
        return (real * real - length) * v + 2 * along * axis + 2 * real * torch.cross(axis, v, dim=1)
