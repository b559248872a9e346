# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear layer, each row normalised by itself, plus a second input, then times that input."""
import torch
import torch.nn as nn

batch_size = 128
in_features = 64
out_features = 128


class Model(nn.Module):
    def __init__(self, in_features, out_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bmm = nn.Linear(in_features, out_features)
        self.instance_norm = nn.InstanceNorm2d(out_features, eps=eps, momentum=momentum)

    def forward(self, x, y):
        x = self.bmm(x)
        # Each row as an image of one channel, for which the layer was not made: torch warns, but only warns.
        x = self.instance_norm(x.unsqueeze(1).unsqueeze(1)).squeeze(1).squeeze(1)
        x = x + y
        return x * y


def get_inputs():
    x = torch.randn(batch_size, in_features)
    y = torch.randn(batch_size, out_features)
    return [x, y]


def get_init_inputs():
    return [in_features, out_features]
