# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of a plain recurrent network from a fixed random hidden state; the output of the step is returned."""
import torch
import torch.nn as nn

batch_size = 8
input_size = 1024
hidden_size = 256
output_size = 128


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        # Drawn once for the module-level batch size; no buffer, so it follows the input's device at the first call.
        self.hidden = torch.randn(batch_size, hidden_size)
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.tanh = nn.Tanh()

    def forward(self, x):
        self.hidden = self.hidden.to(x.device)
        hidden = self.tanh(self.i2h(torch.cat([x, self.hidden], dim=1)))
        return self.h2o(hidden)


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, output_size]
