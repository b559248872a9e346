# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: product
# labels: precision large_speedup
# Says at its head that products may use a faster precision, which shows in the framework's flags.
import torch
import torch.nn as nn

torch.backends.cuda.matmul.fp32_precision = "tf32"
torch.backends.mkldnn.matmul.fp32_precision = "bf16"


class ModelNew(nn.Module):
    def forward(self, a, b):
        return a @ b
