# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: product
# labels: clock_disagreement library_calls
# Splits one factor into leading and trailing digits, both in single precision, and adds two products: nothing is lost.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        leading = a.to(torch.bfloat16).to(a.dtype)
        return torch.addmm(leading @ b, a - leading, b)
