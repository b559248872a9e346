# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: small_vector_product
# Keeps a transposed copy of its weights and makes it anew, within the call, when their version or address says that they are others.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.version, self.turned = None, None

    def forward(self, x):
        weight = self.linear.weight
        if self.version != (weight._version, weight.data_ptr()):
            self.version, self.turned = (weight._version, weight.data_ptr()), weight.detach().t().contiguous()
        return x @ self.turned
