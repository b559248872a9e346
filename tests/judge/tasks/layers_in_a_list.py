# SPDX-License-Identifier: GPL-3.0-or-later
# Layers in a list of Python, which registers none of them; one of the gates starts with zero.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = [nn.Linear(width, width) for _ in range(3)]
        self.gates = [torch.ones(1), torch.zeros(width), torch.zeros(width)]

    def to(self, device):
        for layer in self.layers:
            layer.to(device)
        self.gates = [gate.to(device) for gate in self.gates]
        return super().to(device)

    def forward(self, x):
        y = torch.tanh(self.layers[0](x))
        for layer, gate in zip(self.layers[1:], self.gates[1:]):
            y = y + gate * torch.tanh(layer(y))
        return torch.sin(y)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
