# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: gated_chain
# Starts a thread in each call that computes the lower half, and joins it before it returns.
import threading

import torch
import torch.nn as nn


def compute(x, gate, out):
    with torch.no_grad():
        x = x * 1.1
        for _ in range(23):
            x.tanh_().mul_(1.1)
        torch.mul(x.tanh_(), gate, out=out)


class ModelNew(nn.Module):
    def forward(self, x, gate):
        out, half = torch.empty_like(x), x.shape[0] // 2
        lower = threading.Thread(target=compute, args=(x[half:], gate[half:], out[half:]))
        lower.start()
        compute(x[:half], gate[:half], out[:half])
        lower.join()
        return out
