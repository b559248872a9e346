# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: gelu_chain
# Looks at its own signature, source file and calling frames while it is built, as code that registers itself does.
import inspect
import sys

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale, offset):
        super().__init__()
        self.scale, self.offset = scale, offset
        self.takes = list(inspect.signature(type(self).forward).parameters)
        frame, self.callers = sys._getframe(), []
        while frame is not None:
            self.callers.append(frame.f_code.co_name)
            frame = frame.f_back

    def forward(self, x):
        return nn.functional.gelu(x * self.scale + self.offset) * torch.sigmoid(x)
