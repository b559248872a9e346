# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: equal_experts_in_one
# Makes one product of all experts, whose weights it puts side by side for each version of them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.experts = nn.Parameter((torch.randn(width, width) / width**0.5).repeat(4, 1, 1))
        self.router = nn.Linear(width, 4)
        self.version, self.beside = None, None

    def forward(self, x):
        if self.version != self.experts._version:
            self.version, self.beside = self.experts._version, self.experts.permute(1, 0, 2).flatten(1).contiguous()
        y = (x @ self.beside).tanh_().view(len(x), 4, -1)
        return torch.bmm(torch.softmax(self.router(x), -1).unsqueeze(1), y).squeeze(1)
