# SPDX-License-Identifier: GPL-3.0-or-later
# device: cuda
# task: recurrence
# labels: clock_disagreement library_calls
# Computes the part that does not depend on the state on a second stream, and has the caller's stream wait for it before it is used.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inward = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width, bias=False)
        self.side = None

    def forward(self, x):
        if self.side is None:
            self.side = torch.cuda.Stream()
        here = torch.cuda.current_stream()
        self.side.wait_stream(here)
        with torch.cuda.stream(self.side):
            inward = self.inward(x)
        state = torch.zeros_like(x[0])
        here.wait_stream(self.side)
        inward.record_stream(here)
        for step in range(x.shape[0]):
            state = torch.tanh(inward[step] + self.hidden(state))
        return state
