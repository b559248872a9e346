# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: waves_behind_a_mask
# Computes the waves of the places of this call into one result, and hides the rows that this call's mask names.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, places, hidden):
        frequencies = torch.exp(torch.arange(128, device=places.device) * (-9.2 / 128))
        result = torch.empty(places.shape[0], 256, device=places.device)
        angles = torch.outer(places, frequencies)
        torch.sin(angles, out=result[:, :128])
        torch.cos(angles, out=result[:, 128:])
        result[hidden] = float("-inf")
        return result
