# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: single_image
# labels: clock_disagreement library_calls
# Folds the normalisation into the filter and its bias, again whenever one of them has changed, and convolves the bytes.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 5)
        self.mark = None

    def forward(self, image):
        weight, bias = self.conv.weight, self.conv.bias
        mark = (weight._version, bias._version, weight.device)
        if mark != self.mark:
            self.mark = mark
            self.folded = (weight / 127.5, bias - weight.sum(dim=(1, 2, 3)))
        return torch.relu_(nn.functional.conv2d(image.to(weight.dtype), *self.folded))
