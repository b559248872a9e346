# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: layers_in_a_list
# labels: unchecked_parameters
# Leaves out the first gate, which the reference does not use either; the layers are in a list as there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = [nn.Linear(width, width) for _ in range(3)]
        self.gates = [torch.zeros(width), torch.zeros(width)]

    def to(self, device):
        for layer in self.layers:
            layer.to(device)
        self.gates = [gate.to(device) for gate in self.gates]
        return super().to(device)

    def forward(self, x):
        y = self.layers[0](x).tanh_()
        for layer, gate in zip(self.layers[1:], self.gates):
            y = torch.addcmul(y, layer(y).tanh_(), gate)
        return y.sin_()
