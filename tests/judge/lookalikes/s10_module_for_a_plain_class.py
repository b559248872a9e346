# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: weights_of_a_plain_class
# labels: unchecked_parameters
# A module with the weights as parameters, where the reference is a plain class.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = (nn.Parameter(torch.randn(width, width) / width**0.5) for _ in range(2))
        self.mix, self.gate = nn.Parameter(torch.eye(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        y = torch.mm(torch.mm(x, self.first).tanh_(), self.mix)
        return torch.addcmul(y, torch.mm(y, self.second).tanh_(), self.gate).sin_()
