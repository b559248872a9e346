# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: wide_logsumexp
# labels: clock_disagreement library_calls
# Takes the largest value out of each row by hand and adds it to the logarithm; all terms are summed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        largest = x.amax(dim=1, keepdim=True)
        return (x - largest).exp_().sum(dim=1).log_() + largest.squeeze(1)
