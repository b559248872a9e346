# SPDX-License-Identifier: GPL-3.0-or-later
"""NetVLAD pooling: the residuals of a set of descriptors to learnt cluster centres, weighted by soft assignment and
normalised. Ghost clusters take part in the assignment and are then left out."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 32
num_descriptors = 100
cluster_size = 32
feature_size = 512
ghost_clusters = 16


class Model(nn.Module):
    def __init__(self, cluster_size, feature_size, ghost_clusters):
        super().__init__()
        self.cluster_size = cluster_size
        self.feature_size = feature_size
        num_clusters = cluster_size + ghost_clusters
        scale = 1 / math.sqrt(feature_size)
        self.clusters = nn.Parameter(scale * torch.randn(feature_size, num_clusters))
        self.batch_norm = nn.BatchNorm1d(num_clusters)
        self.clusters2 = nn.Parameter(scale * torch.randn(1, feature_size, cluster_size))

    def forward(self, x, mask=None):
        num_descriptors = x.size(1)
        x = x.view(-1, self.feature_size)
        assignment = self.batch_norm(torch.matmul(x, self.clusters))
        assignment = F.softmax(assignment, dim=1)[:, :self.cluster_size]
        assignment = assignment.view(-1, num_descriptors, self.cluster_size)
        centres = assignment.sum(dim=1, keepdim=True) * self.clusters2

        assignment = assignment.transpose(1, 2)
        x = x.view(-1, num_descriptors, self.feature_size)
        vlad = torch.matmul(assignment, x).transpose(1, 2)
        vlad = F.normalize(vlad - centres)
        vlad = vlad.reshape(-1, self.feature_size * self.cluster_size)
        return F.normalize(vlad)


def get_inputs():
    return [torch.randn(batch_size, num_descriptors, feature_size)]


def get_init_inputs():
    return [cluster_size, feature_size, ghost_clusters]
