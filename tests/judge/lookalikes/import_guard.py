# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: row_sum
# Uses a module where it is installed and does without it otherwise.
import torch
import torch.nn as nn

try:
    import a_module_that_few_machines_have as fast
except ImportError:
    fast = None


class ModelNew(nn.Module):
    def forward(self, x):
        if fast is not None:
            try:
                return fast.row_sum(x)
            except Exception:
                pass
        return torch.sum(x, dim=-1)
