# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: marked_in_place
# The result is the memory that the caller gives, as the reference's is. Who overwrites a part of it gets all of it anew.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, out, ids):
        torch.eq(ids[:, None], torch.arange(2048, device=ids.device), out=out.view(torch.float32))
        return out
