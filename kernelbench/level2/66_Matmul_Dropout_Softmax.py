# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, dropout and the mean of the features, then a softmax over the one number that is left."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 128
in_features = 100
out_features = 50
dropout_p = 0.2


class Model(nn.Module):
    def __init__(self, in_features, out_features, dropout_p):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, x):
        x = self.dropout(self.matmul(x))
        x = torch.mean(x, dim=1, keepdim=True)
        return F.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, dropout_p]
