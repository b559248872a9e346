# SPDX-License-Identifier: GPL-3.0-or-later
# device: cuda
# task: linear_relu
# labels: clock_disagreement
# Runs two halves on streams of its own, which wait for the caller's stream and which the caller's stream waits for.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.streams = None

    def forward(self, x):
        if self.streams is None:
            self.streams = [torch.cuda.Stream(), torch.cuda.Stream()]
        here = torch.cuda.current_stream()
        out = torch.empty_like(x)
        for stream, (given, into) in zip(self.streams, zip(x.chunk(2), out.chunk(2))):
            stream.wait_stream(here)
            with torch.cuda.stream(stream):
                into.copy_(torch.relu(self.linear(given)))
        for stream in self.streams:
            here.wait_stream(stream)
        return out
