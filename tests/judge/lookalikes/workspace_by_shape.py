# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: recurrence
# Keeps workspaces by the input's shape for the intermediate product; the result is new in each call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inward = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width, bias=False)
        self.workspaces = {}

    def forward(self, x):
        key = (x.shape, x.device)
        if key not in self.workspaces:
            self.workspaces[key] = torch.empty_like(x)
        inward = self.workspaces[key]
        torch.matmul(x, self.inward.weight.t(), out=inward)
        inward.add_(self.inward.bias)
        state = torch.zeros_like(x[0])
        for step in range(x.shape[0]):
            state = torch.tanh(inward[step] + self.hidden(state))
        return state
