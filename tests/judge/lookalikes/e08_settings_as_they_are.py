# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: product
# labels: clock_disagreement library_calls
# Makes sure for the time of a product that the framework computes with all digits, and puts the setting back.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        place = torch.backends.cuda.matmul if a.is_cuda else torch.backends.mkldnn.matmul
        before, place.fp32_precision = place.fp32_precision, "ieee"
        try:
            return torch.einsum("ij,jk->ik", a, b)
        finally:
            place.fp32_precision = before
