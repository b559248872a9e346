# SPDX-License-Identifier: GPL-3.0-or-later
"""Stack of bidirectional gated recurrent units with a toggle for each technique that is to be told apart.

Every combination of the toggles is correct: a private stream joins the caller's, and the result of a CUDA graph is
copied out, since the next call writes into the graph's own memory. Without a GPU the toggles of streams and graphs do
nothing.
"""
import torch
import torch.nn as nn

USE_CUDA_GRAPH = True       # one launch for all kernels of a call
USE_PRIVATE_STREAM = True   # the work runs on a stream of its own, which the caller's stream waits for
USE_STATIC_BUFFERS = True   # the input is copied into contiguous memory that stays where it is
USE_CUDNN_BENCHMARK = True  # cuDNN times its algorithms and takes the fastest

batch_size = 10

torch.backends.cudnn.benchmark = USE_CUDNN_BENCHMARK


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, bias=True, batch_first=False):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, num_layers, bias=bias, batch_first=batch_first,
                          bidirectional=True)
        self.h0 = torch.randn(2 * num_layers, batch_size, hidden_size)
        self.stream = None
        self.static = {}  # input memory by shape
        self.graphs = {}  # graph, its result and the addresses that it reads, by shape

    def forward(self, x):
        self.h0 = self.h0.to(x.device)
        if not (USE_PRIVATE_STREAM and x.is_cuda):
            return self.compute(x)
        if self.stream is None:
            self.stream = torch.cuda.Stream()
        caller = torch.cuda.current_stream()
        self.stream.wait_stream(caller)
        with torch.cuda.stream(self.stream):
            output = self.compute(x)
        caller.wait_stream(self.stream)
        return output

    def compute(self, x):
        if USE_CUDA_GRAPH and x.is_cuda:
            return self.replay(x)
        if USE_STATIC_BUFFERS:
            x = self.kept(x)
        output, _ = self.gru(x, self.h0)
        return output

    def kept(self, x):
        key = (tuple(x.shape), x.dtype, x.device)
        if key not in self.static:
            self.static[key] = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        return self.static[key].copy_(x)

    def replay(self, x):
        static = self.kept(x)
        reads = [static.data_ptr(), self.h0.data_ptr()] + [p.data_ptr() for p in self.gru.parameters()]
        key = (tuple(x.shape), x.dtype, x.device)
        entry = self.graphs.get(key)
        if entry is None or entry[2] != reads:
            entry = self.graphs[key] = (*self.capture(static), reads)
        graph, output, _ = entry
        graph.replay()
        return output.clone()

    def capture(self, static):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.gru(static, self.h0)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output, _ = self.gru(static, self.h0)
        return graph, output
