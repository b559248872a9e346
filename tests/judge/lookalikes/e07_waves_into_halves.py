# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: waves_of_places
# labels: library_calls
# Computes the waves of the places of this call, and writes them into the halves of the result.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.frequencies = None

    def forward(self, places):
        if self.frequencies is None or self.frequencies.device != places.device:
            self.frequencies = torch.exp(torch.arange(128, device=places.device) * (-9.2 / 128))
        result = torch.empty(places.shape[0], 256, device=places.device)
        angles = torch.outer(places, self.frequencies)
        torch.sin(angles, out=result[:, :128])
        torch.cos(angles, out=result[:, 128:])
        return result
