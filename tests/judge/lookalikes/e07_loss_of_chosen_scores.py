# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: labelled_loss
# labels: clock_disagreement
# Takes the score of each label by itself and the logarithm of the sum of all, instead of a whole table of logarithms.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, scores, labels):
        return (torch.logsumexp(scores, dim=1) - scores.gather(1, labels[:, None]).squeeze(1)).mean()
