# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: conjugates
# labels: clock_disagreement library_calls
# Doubles into memory of its own and turns the sign of every imaginary part there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, z):
        own = z + z
        own.imag.neg_()
        return own
