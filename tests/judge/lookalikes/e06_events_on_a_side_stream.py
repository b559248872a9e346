# SPDX-License-Identifier: GPL-3.0-or-later
# device: cuda
# task: large_product
# labels: clock_disagreement library_calls
# Splits the product over two streams that wait for the caller's by events, and the caller's stream waits for theirs.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.streams = None

    def forward(self, a, b):
        if self.streams is None:
            self.streams = [torch.cuda.Stream(), torch.cuda.Stream(priority=-1)]
        out = torch.empty(a.shape[0], b.shape[1], device=a.device)
        begun = torch.cuda.current_stream().record_event()
        for stream, given, into in zip(self.streams, a.chunk(2), out.chunk(2)):
            stream.wait_event(begun)
            with torch.cuda.stream(stream):
                torch.mm(given, b, out=into)
                done = stream.record_event()
            torch.cuda.current_stream().wait_event(done)
        return out
