# SPDX-License-Identifier: GPL-3.0-or-later
# device: cuda
# task: recurrence
# labels: large_speedup clock_disagreement library_calls
# A CUDA graph with static buffers: the input is copied in and the result is copied out, in each call, on the
# caller's stream.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inward = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width, bias=False)
        self.graph = None

    def compute(self, x):
        state = torch.zeros_like(x[0])
        for step in range(x.shape[0]):
            state = torch.tanh(self.inward(x[step]) + self.hidden(state))
        return state

    def capture(self, x):
        self.inside = x.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.compute(self.inside)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = self.compute(self.inside)

    def forward(self, x):
        if self.graph is None:
            self.capture(x)
        self.inside.copy_(x)
        self.graph.replay()
        return self.result.clone()
