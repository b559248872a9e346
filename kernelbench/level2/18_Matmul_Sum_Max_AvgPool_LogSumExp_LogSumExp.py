# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, summed over the features, then maximum, mean and log-sum-exp twice over the one column that is left."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 10
out_features = 5


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        x = torch.sum(self.linear(x), dim=1, keepdim=True)
        x = torch.max(x, dim=1, keepdim=True)[0]
        x = torch.mean(x, dim=1, keepdim=True)
        x = torch.logsumexp(x, dim=1, keepdim=True)
        return torch.logsumexp(x, dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
