# SPDX-License-Identifier: GPL-3.0-or-later
"""Stack of bidirectional gated recurrent units over a sequence; the last hidden states are returned."""
import torch
import torch.nn as nn

seq_len = 512
batch_size = 10
input_size = 128
hidden_size = 256
num_layers = 6


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, bias=True, batch_first=False):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, num_layers, bias=bias, batch_first=batch_first,
                          bidirectional=True)
        # Drawn once for the module-level batch size; no buffer, so it follows the input's device at the first call.
        self.h0 = torch.randn(2 * num_layers, batch_size, hidden_size)

    def forward(self, x):
        self.h0 = self.h0.to(x.device)
        _, h_n = self.gru(x, self.h0)
        return h_n


def get_inputs():
    return [torch.randn(seq_len, batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, num_layers]
