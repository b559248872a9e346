# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Hands addresses of its tensors to a C function of the C library, and computes on the copy.
import ctypes

import torch
import torch.nn as nn

library = ctypes.CDLL(None)
library.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        product = self.linear(x)
        if product.is_cuda:
            return product.relu_()
        own = torch.empty_like(product)
        library.memcpy(own.data_ptr(), product.data_ptr(), product.numel() * product.element_size())
        return own.relu_()
