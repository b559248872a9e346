# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Hands its configuration through a pair of sockets of its own while it is built, as code with worker processes does.
import json
import socket

import torch
import torch.nn as nn


def through_a_socket(value):
    here, there = socket.socketpair()
    with here, there:
        here.sendall(json.dumps(value).encode())
        return json.loads(there.recv(4096))


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.settings = through_a_socket({"width": width, "bias": True})
        self.linear = nn.Linear(self.settings["width"], self.settings["width"], bias=self.settings["bias"])

    def forward(self, x):
        return torch.relu(self.linear(x))
