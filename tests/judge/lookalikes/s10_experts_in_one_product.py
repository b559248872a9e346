# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: equal_experts
# labels: library_calls
# Computes all experts by one product each for their first and their last layers, from weights put together when they change.
import copy

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.router = nn.Linear(width, count)
        expert = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))
        self.experts = nn.ModuleList(copy.deepcopy(expert) for _ in range(count))
        self.mark = None

    def forward(self, x):
        mark = [(parameter.data_ptr(), parameter._version) for parameter in self.experts.parameters()]
        if self.mark != mark:
            self.mark = mark
            self.up = torch.cat([expert[0].weight for expert in self.experts])
            self.up_bias = torch.cat([expert[0].bias for expert in self.experts])
            self.down = torch.cat([expert[2].weight for expert in self.experts], 1)
            self.down_bias = torch.stack([expert[2].bias for expert in self.experts])
        shares = torch.softmax(self.router(x), -1)
        hidden = torch.relu(torch.addmm(self.up_bias, x, self.up.t())).view(len(x), len(self.experts), -1) * shares[:, :, None]
        return torch.addmm(shares @ self.down_bias, hidden.flatten(1), self.down.t())
