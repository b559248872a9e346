# SPDX-License-Identifier: GPL-3.0-or-later
"""Stack of long short-term memory layers over a sequence; the last hidden state of every layer is returned. A linear
layer also runs on the last step's output, and its result is dropped."""
import torch
import torch.nn as nn

batch_size = 10
sequence_length = 512
input_size = 128
hidden_size = 256
num_layers = 6
output_size = 10
dropout = 0.0


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, output_size, dropout=0.0):
        super().__init__()
        # Drawn once for the module-level batch size; no buffers, so they follow the input's device at the first call.
        self.h0 = torch.randn(num_layers, batch_size, hidden_size)
        self.c0 = torch.randn(num_layers, batch_size, hidden_size)
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True, dropout=dropout)
        self.fc = nn.Linear(hidden_size, output_size)

    def forward(self, x):
        self.h0 = self.h0.to(x.device)
        self.c0 = self.c0.to(x.device)
        output, (h_n, _) = self.lstm(x, (self.h0, self.c0))
        self.fc(output[:, -1, :])
        return h_n


def get_inputs():
    return [torch.randn(batch_size, sequence_length, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, num_layers, output_size, dropout]
