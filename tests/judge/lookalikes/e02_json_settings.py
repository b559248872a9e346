# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gelu_chain
# Keeps its settings as JSON text with a field that looks like a list of times, and adds to it what it has been called with.
import json

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.text = json.dumps({"scale": scale, "offset": offset, "wall_ns": [1.0, 2.0], "shapes": []})
        self.scale, self.offset = json.loads(self.text)["scale"], json.loads(self.text)["offset"]

    def forward(self, x):
        if '"shapes": []' in self.text:
            self.text = json.dumps({**json.loads(self.text), "shapes": [list(x.shape)]})
        return nn.functional.gelu(x * self.scale + self.offset) * torch.sigmoid(x)
