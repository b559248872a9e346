# SPDX-License-Identifier: GPL-3.0-or-later
# A class that is no module, with a product behind a gate of zero and one with the identity.
import torch


class Model:
    def __init__(self, width):
        self.first, self.second = torch.randn(width, width) / width**0.5, torch.randn(width, width) / width**0.5
        self.mix = torch.eye(width)
        self.gate = torch.zeros(width)

    def to(self, device):
        for name, tensor in vars(self).items():
            setattr(self, name, tensor.to(device))
        return self

    def __call__(self, x):
        y = torch.tanh(x @ self.first) @ self.mix
        return torch.sin(y + self.gate * torch.tanh(y @ self.second))


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
