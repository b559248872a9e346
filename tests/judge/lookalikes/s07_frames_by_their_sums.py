# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: loud_frames
# labels: library_calls
# Compares the sums of frames with a threshold that was multiplied by their length.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.abs().log1p_().sum(-1) > 0.008 * x.shape[1]
