# SPDX-License-Identifier: GPL-3.0-or-later
"""Small references for check_generated.py, and the techniques that must be proposed for each."""

SOURCES = {}
TECHNIQUES = {}
HOST_ONLY = {"constant_tensor"}  # mixes tensors of the host and of the device
KERNELS_ONLY = {"norms_of_channels_last", "odd_batches", "odd_layers", "odd_matrices", "once_for_means", "twice_batch", "twice_groups", "twice_instances", "twice_pooled", "twice_pooled_groups", "volumes_of_channels_last"}  # for check_cuda_kernels.py: nothing of theirs is for CPUs
CPU_ONLY = {"cpu_products", "heap_reuse", "transposed_by_phase"}
GPU_ONLY = {"aligned_products", "arg_reduction", "convolve_twice", "direct_convolution", "fused_attention", "scaled_halves", "scan_kernels", "split_reduction", "window_kernels"}
SLOW_MEMORY = {"direct_sums_of_groups", "direct_sums_of_runs", "once_for_means", "twice_batch", "twice_groups", "twice_instances", "twice_pooled", "twice_pooled_groups"}  # for devices where convolving again pays for a few results, too
SLOW_PRODUCTS = {"halves_of_batches", "halves_of_layers", "halves_of_long_sums", "halves_of_matrices", "halves_of_short_sums", "halves_of_transposed"}  # for devices where products take a second
OPENED = {"twice_pooled", "twice_pooled_groups"}  # one technique finds something only behind the other: each setting of the two switches is tried
JOINED = {"pooled_transposed", "pooled_transposed_uneven"}  # one of our kernels must take the weight that a pool went into


def reference(name, techniques, inputs, forward, init="", arguments="", init_inputs="", parameters="x"):
    """A task's text from its parts; `init` and `forward` are lines of statements."""
    def block(text):
        return "".join("        " + line + "\n" for line in text.strip().splitlines())

    SOURCES[name] = f'''"""{name}: a reference for tests."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Text that mentions class Model and def forward(self)."""

    def __init__(self{", " + arguments if arguments else ""}):
        super(Model, self).__init__()
{block(init)}
    def forward(self, {parameters}):
{block(forward)}

def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return [{init_inputs}]
'''
    TECHNIQUES[name] = set(techniques.split())


reference("diagonal_left", "diagonal_product", "torch.randn(8), torch.randn(8, 12)", "return torch.diag(A) @ B", parameters="A, B")
reference("diagonal_right", "diagonal_product", "torch.randn(6, 8), torch.randn(8)", "return torch.matmul(A, torch.diag(d))", parameters="A, d")
reference("upper", "triangular_product cpu_products", "torch.randn(520, 64), torch.randn(64, 520)", "return torch.triu(torch.matmul(A, B))", parameters="A, B")
reference("lower", "triangular_product", "torch.randn(600, 40), torch.randn(40, 530)", "return torch.tril(A @ B)", parameters="A, B")
reference("constant_clamp", "constant_result", "torch.randn(4, 6)", "return torch.clamp(torch.minimum(x, torch.zeros_like(x)).clamp_max(0.0), 0.0, 1.0)")
reference("constant_mean", "constant_result", "torch.randn(5, 10)",
          "x = self.gemm(x)\nx = torch.max(x, dim=1, keepdim=True).values\nx = x - x.mean(dim=1, keepdim=True)\nreturn F.gelu(x)",
          init="self.gemm = nn.Linear(10, 7)")
reference("scaled_residual", "fold_scale", "torch.randn(9, 10)",
          "x = self.matmul(x)\noriginal = x.clone().detach()\nx = x * self.factor\nreturn x + original",
          init="self.matmul = nn.Linear(10, 12)\nself.factor = 0.5")
reference("scaled_leaky", "fold_scale cpu_products", "torch.randn(64, 80)", "return self.act(self.gemm(x) * self.k)", arguments="k=2.0",
          init="self.gemm = nn.Linear(80, 96)\nself.k = k\nself.act = nn.LeakyReLU(0.1)", init_inputs="2.0")
reference("bias_relu", "fold_scale cpu_products", "torch.randn(64, 80)", "return torch.relu(self.gemm(x) + self.bias)",
          init="self.gemm = nn.Linear(80, 96, bias=False)\nself.bias = nn.Parameter(torch.randn(96))")
reference("conv_channel_scale", "fold_scale", "torch.randn(2, 3, 9, 9)",
          "x = self.conv(x)\nx = (3.0 - x) * self.scale\nreturn torch.tanh(x / 2 + self.shift)",
          init="self.conv = nn.Conv2d(3, 4, 3)\nself.scale = nn.Parameter(torch.randn(4, 1, 1))\nself.shift = nn.Parameter(torch.randn(1, 4, 1, 1))")
reference("conv_fixed_batch_norm", "fold_scale", "torch.randn(2, 3, 9, 9)",
          "x = self.conv(x)\nreturn F.batch_norm(x, self.mean, self.var, self.gamma, self.beta, training=False)",
          init="self.conv = nn.Conv2d(3, 4, 3)\nself.register_buffer('mean', torch.randn(4))\nself.register_buffer('var', torch.rand(4) + 0.5)\n"
               "self.gamma = nn.Parameter(torch.randn(4))\nself.beta = nn.Parameter(torch.randn(4))")
reference("conv_training_batch_norm", "split_reduction", "torch.randn(4, 3, 9, 9)", "return F.relu_(self.bn(self.conv(x)))",
          init="self.conv = nn.Conv2d(3, 4, 3)\nself.bn = nn.BatchNorm2d(4)")
reference("sum_of_linear", "reassociate_reduction", "torch.randn(12, 10)",
          "x = torch.matmul(x, self.weight.T)\nx = x / 2\nx = torch.sum(x, dim=1, keepdim=True)\nreturn x * 1.5",
          init="self.weight = nn.Parameter(torch.randn(20, 10))")
reference("mean_of_linear", "reassociate_reduction", "torch.randn(12, 10)", "return (self.l(x) + self.b).mean(dim=-1)",
          init="self.l = nn.Linear(10, 20)\nself.b = nn.Parameter(torch.randn(20))")
reference("mlp_row", "cpu_products", "torch.randn(1, 100)", "return self.network(x)",
          init="self.network = nn.Sequential(nn.Linear(100, 60), nn.ReLU(inplace=True), nn.Linear(60, 90), nn.ReLU(), nn.Linear(90, 30))")
reference("scalar_argument", "", "torch.randn(7, 9), 3.14", "return A * s + 1.0", parameters="A, s: float = 2.0")
reference("two_results", "", "torch.randn(4, 6)", "y = self.l(x)\nreturn torch.sigmoid(y) * y, y.sum(dim=1)", init="self.l = nn.Linear(6, 8)")
reference("constant_tensor", "", "torch.randn(3, 4)", "return x * self.scales[1] + torch.tensor(2.0)", init="self.scales = [torch.ones(4), torch.randn(4)]")
reference("state_written_later", "", "torch.randn(4, 6)", "y = self.state * x\nself.state.add_(1.0)\nreturn torch.relu(y) + 1.0", init="self.register_buffer('state', torch.zeros(6))")
reference("host_number", "", "torch.randn(64, 600)", "return torch.relu(x * self.number) + torch.cumsum(x * self.number, 1)", init="self.number = torch.tensor(0.5)")
reference("dropout", "", "torch.randn(30, 40)", "return self.drop(x) * 2.0", init="self.drop = nn.Dropout(0.3)")
reference("images", "channels_last", "torch.randn(2, 3, 16, 16)", "return self.pool(F.relu(self.c2(F.relu(self.c1(x)))))",
          init="self.c1 = nn.Conv2d(3, 8, 3, padding=1)\nself.c2 = nn.Conv2d(8, 6, 3, stride=2)\nself.pool = nn.MaxPool2d(2)")
reference("capped", "fuse_elementwise", "torch.randn(2, 3, 8, 8)", "return (torch.min(self.conv(x), torch.tensor(0.5)) + self.bias) * 2.0",
          init="self.conv = nn.Conv2d(3, 4, 3)\nself.bias = nn.Parameter(torch.randn(4, 1, 1))")
reference("grouped", "fuse_elementwise channels_last", "torch.randn(2, 3, 10, 10)", "y = torch.tanh(self.conv(x) * self.scale)\nreturn y * 4.0 + self.norm(y)",
          init="self.conv = nn.Conv2d(3, 8, 3)\nself.scale = nn.Parameter(torch.rand(8, 1, 1))\nself.norm = nn.GroupNorm(2, 8, eps=1.0)")
reference("group_rows", "fuse_elementwise", "torch.randn(6, 10)", "return F.hardtanh(self.norm(self.gemm(x) + self.bias)) * self.scale",
          init="self.gemm = nn.Linear(10, 24)\nself.bias = nn.Parameter(torch.randn(24))\nself.norm = nn.GroupNorm(4, 24)\nself.scale = nn.Parameter(torch.rand(24))\n"
               "self.norm.weight = nn.Parameter(torch.randn(24))\nself.norm.bias = nn.Parameter(torch.randn(24))")
reference("group_images", "fuse_elementwise", "torch.randn(3, 12, 5, 7)", "return torch.relu(self.norm(x * self.gain)) + self.shift",
          init="self.gain = nn.Parameter(torch.rand(12, 1, 1) + 0.5)\nself.shift = nn.Parameter(torch.randn(1, 12, 1, 1))\nself.norm = nn.GroupNorm(3, 12)\n"
               "self.norm.weight = nn.Parameter(torch.randn(12))")
reference("instance", "fuse_elementwise", "torch.randn(2, 5, 6, 7)", "return self.norm(x) / 2.0", init="self.norm = nn.InstanceNorm2d(5)")
reference("volumes", "fuse_elementwise channels_last", "torch.randn(2, 3, 6, 6, 6)", "return torch.relu(self.conv(x) + self.bias)",
          init="self.conv = nn.Conv3d(3, 4, 3)\nself.bias = nn.Parameter(torch.randn(4, 1, 1, 1))")
reference("deep", "channels_last", "torch.randn(2, 16, 8, 8)", "for layer in self.layers:\n    x = torch.relu(layer(x))\nreturn x",
          init="self.layers = nn.ModuleList(nn.Conv2d(16, 16, 3, padding=1) for _ in range(4))")
reference("chain", "fuse_elementwise", "torch.randn(37, 53)",
          "x = F.leaky_relu(x, 0.2) * 1.5 - 0.25\nx = torch.tanh(x) + F.gelu(x)\nreturn F.hardtanh(F.silu(x) / 3.0, -0.5, 2.0)")
reference("activations", "fuse_elementwise", "torch.randn(6, 5, 7)",
          "y = F.mish(x) + F.softplus(x) - F.elu(x, 0.7)\ny = y * F.hardswish(x) + F.hardsigmoid(x) ** 2\n"
          "y = y + torch.sqrt(torch.abs(x)) + torch.exp(-x * x) + F.gelu(x, approximate='tanh')\nreturn torch.clamp(y, min=-1.0) + torch.sigmoid(x) ** 3 + (1.0 - x)")
reference("broadcast", "fuse_elementwise", "torch.randn(4, 6, 5, 5), torch.randn(5)",
          "return (torch.relu(x) + self.bias) * torch.sigmoid(z) - self.other", init="self.bias = nn.Parameter(torch.randn(6, 1, 1))\nself.other = nn.Parameter(torch.randn(4, 1, 5, 1))", parameters="x, z")
reference("conv_relu_bias", "fuse_elementwise", "torch.randn(3, 3, 12, 12)", "x = torch.relu(self.conv(x))\nreturn x + self.bias",
          init="self.conv = nn.Conv2d(3, 8, 3)\nself.bias = nn.Parameter(torch.randn(8, 1, 1))")
reference("rms_norm", "fuse_elementwise", "torch.randn(3, 16, 9, 9)", "rms = torch.sqrt(torch.mean(x ** 2, dim=1, keepdim=True) + self.eps)\nreturn x / rms", init="self.eps = 1e-5")
reference("softmax_rows", "fuse_elementwise", "torch.randn(5, 5000)", "return torch.softmax(x, dim=1)")
reference("softmax_columns", "fuse_elementwise", "torch.randn(3, 17, 21)", "return F.log_softmax(x * 2.0, dim=1) + 1.0")
reference("layer_norm", "fuse_elementwise", "torch.randn(4, 6, 7, 8)", "return torch.relu(self.ln(x))", init="self.ln = nn.LayerNorm((6, 7, 8))\nself.ln.weight.data.uniform_()")
reference("sum_columns", "fuse_elementwise", "torch.randn(4, 30, 25)", "return torch.sum(x, dim=1, keepdim=True)")
reference("prod_columns", "fuse_elementwise", "torch.randn(4, 12, 25)", "return torch.prod(x, dim=1)")
reference("hinge", "fuse_elementwise", "torch.randn(128, 1), torch.randint(0, 2, (128, 1)).float() * 2 - 1", "return torch.mean(torch.clamp(1 - p * t, min=0))", parameters="p, t")
reference("log_sum_exp", "fuse_elementwise", "torch.randn(9, 33)", "x = torch.logsumexp(x, dim=1, keepdim=True)\nreturn F.leaky_relu(x * 0.5, 0.1)")
reference("norm_two_results", "fuse_elementwise", "torch.randn(9, 33)", "n = torch.norm(x, dim=1, keepdim=True)\nreturn x / n, n")
reference("reused", "fuse_elementwise", "torch.randn(9, 8)",
          "a = torch.relu(self.l(x))\nb = a * 2.0\nc = self.m(b)\nd = torch.tanh(c) + b\nreturn d.amax(dim=1) * 3.0 + 1.0", init="self.l = nn.Linear(8, 8)\nself.m = nn.Linear(8, 8)")
reference("large_results", "heap_reuse fuse_elementwise", "torch.randn(600, 700)", "y = x * 3.0\nz = torch.sum(y, dim=0)\nreturn y, torch.sigmoid(x @ self.w) * z", init="self.w = nn.Parameter(torch.randn(700, 700))")
reference("long_rows", "split_reduction", "torch.randn(4, 8, 128, 128)", "return torch.relu(self.ln(x) * 2.0)", init="self.ln = nn.LayerNorm((8, 128, 128))\nself.ln.weight.data.uniform_()")
reference("host_constant", "", "torch.randn(5, 2, 8)", "return self.gru(x, self.h0.to(x.device))[0]", init="self.gru = nn.GRU(8, 16, 2)\nself.h0 = torch.randn(2, 2, 16)")
reference("pooled_convolution", "pool_into_convolution", "torch.randn(3, 4, 13, 16)", "return torch.sigmoid(self.pool(self.conv(x) * self.k - 0.5))",
          init="self.conv = nn.Conv2d(4, 6, (3, 2), stride=(1, 2), padding=(1, 0), groups=2)\nself.pool = nn.AvgPool2d((2, 3), stride=(3, 2))\nself.k = nn.Parameter(torch.randn(6, 1, 1))")
reference("pooled_pointwise", "pool_into_convolution", "torch.randn(3, 4, 13, 16)", "return self.pool(self.conv(x))",
          init="self.conv = nn.Conv2d(4, 6, 1, bias=False)\nself.pool = nn.AvgPool2d(2)")
reference("pooled_transposed", "pool_into_convolution transposed_by_phase", "torch.randn(2, 3, 4, 5, 6)", "return self.pool(self.conv(x) / 3.0)",
          init="self.conv = nn.ConvTranspose3d(3, 4, 3, stride=2, padding=1, output_padding=1)\nself.pool = nn.AvgPool3d(2)")
reference("pooled_transposed_uneven", "pool_into_convolution transposed_by_phase", "torch.randn(2, 3, 7, 6)", "return self.pool(self.conv(x))",
          init="self.conv = nn.ConvTranspose2d(3, 4, (5, 3), stride=(2, 3), padding=(0, 2))\nself.pool = nn.AvgPool2d((3, 3), stride=(4, 3))")
reference("pooled_depthwise", "pool_into_convolution", "torch.randn(2, 6, 13, 16)", "return self.pool(self.conv(x))",
          init="self.conv = nn.Conv2d(6, 6, 3, padding=1, groups=6)\nself.pool = nn.AvgPool2d(2)")
reference("mean_of_convolution", "mean_before_convolution", "torch.randn(3, 4, 11, 12)", "return (self.conv(x) * 2.0 + self.b).mean(dim=[2, 3])",
          init="self.conv = nn.Conv2d(4, 6, (3, 4), stride=(2, 3), padding=(1, 2))\nself.b = nn.Parameter(torch.randn(6, 1, 1))")
reference("mean_of_transposed", "mean_before_convolution transposed_by_phase", "torch.randn(3, 4, 5, 6)",
          "return torch.tanh(torch.mean(self.conv(x), dim=[2, 3], keepdim=True)) * 3.0",
          init="self.conv = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1)")
reference("mean_of_volumes", "mean_before_convolution transposed_by_phase", "torch.randn(2, 3, 4, 5, 6)", "return self.conv(x).mean(dim=(-1, -2, -3), keepdim=True)",
          init="self.conv = nn.ConvTranspose3d(3, 2, (3, 2, 4), stride=(1, 2, 2), padding=(2, 0, 1))")
reference("transposed_rows", "transposed_by_phase", "torch.randn(2, 5, 9)", "return torch.relu(self.conv(x))",
          init="self.conv = nn.ConvTranspose1d(5, 3, 4, stride=3, padding=1, bias=False)")
reference("transposed_images", "transposed_by_phase", "torch.randn(2, 3, 5, 6)", "return self.first(x), self.second(x)",
          init="self.first = nn.ConvTranspose2d(3, 4, 4, stride=2, padding=1)\nself.second = nn.ConvTranspose2d(3, 2, (3, 5), padding=(2, 1))")
reference("pool_behind_activations", "pool_first", "torch.randn(2, 3, 11, 12)", "return self.pool(torch.tanh(self.conv(x)) * 2.0 + self.b) - self.other(F.leaky_relu(-x))",
          init="self.conv = nn.Conv2d(3, 4, 3, padding=1)\nself.b = nn.Parameter(torch.randn(4, 1, 1))\nself.pool = nn.MaxPool2d(3, stride=2, padding=1)\n"
               "self.other = nn.Sequential(nn.Conv2d(3, 4, 1), nn.MaxPool2d(3, stride=2, padding=1))")

# Convolutions in kernels of their own: every kind of phase, stride, group and rest, and of what follows.
reference("direct_volumes", "direct_convolution", "torch.randn(2, 3, 4, 5, 9), torch.randn(2, 12, 7, 9, 17)",
          "x = torch.tanh(self.conv(x) * self.scale)\nx = x * torch.sigmoid(x) + self.bias\nreturn x * 0.5 + y",
          init="self.conv = nn.ConvTranspose3d(3, 12, 3, stride=2, padding=1)\nself.scale = nn.Parameter(torch.randn(12, 1, 1, 1))\n"
               "self.bias = nn.Parameter(torch.randn(1))", parameters="x, y")
reference("direct_groups", "direct_convolution", "torch.randn(2, 16, 7, 13)", "return F.relu(self.conv(x))",
          init="self.conv = nn.ConvTranspose2d(16, 24, (3, 5), stride=(2, 3), padding=(1, 2), dilation=(2, 1), groups=2, bias=False)")
reference("direct_wide_stride", "direct_convolution", "torch.randn(1, 20, 5, 6)", "return self.conv(x)",
          init="self.conv = nn.ConvTranspose2d(20, 70, 3, stride=5, padding=1, dilation=2)")
reference("direct_rows", "direct_convolution", "torch.randn(2, 20, 40)", "return self.conv(x) + 1.0", init="self.conv = nn.Conv1d(20, 70, 5, stride=2, padding=3)")
reference("direct_images", "direct_convolution fuse_elementwise", "torch.randn(2, 3, 12, 20)", "x = self.conv(x)\nreturn torch.softmax(F.gelu(x) - x, dim=1)",
          init="self.conv = nn.Conv2d(3, 10, 3, dilation=2, padding=1)")
# Images and channels of very different sizes, whose products are scaled by other powers of two, also within one sum.
reference("direct_scales", "direct_convolution",
          "torch.randn(3, 72, 7, 9) * torch.logspace(-9, 9, 3).view(3, 1, 1, 1) * torch.logspace(-3, 3, 72).view(72, 1, 1)",
          "y = self.conv(x)\nreturn y / y.abs().amax(dim=(1, 2, 3), keepdim=True)", init="self.conv = nn.Conv2d(72, 16, 3, padding=1, bias=False)")
reference("direct_residual", "direct_convolution", "torch.randn(1, 8, 9, 10)", "y = self.conv(x)\nreturn F.relu(y + x).sum(dim=[2, 3]), y",
          init="self.conv = nn.Conv2d(8, 8, 3, padding=1)")
reference("direct_softmax", "direct_convolution", "torch.randn(2, 3, 9, 11)", "x = torch.logsumexp(self.conv(x) * self.scale, dim=1, keepdim=True)\nreturn torch.max(torch.sigmoid(x + 3) * x - self.bias, dim=1).values",
          init="self.conv = nn.ConvTranspose2d(3, 12, 3, stride=2, padding=1)\nself.scale = nn.Parameter(torch.randn(12, 1, 1))\nself.bias = nn.Parameter(torch.randn(1, 12, 1, 1))")
reference("direct_full_softmax", "direct_convolution", "torch.randn(2, 4, 6, 7, 9)", "return torch.sigmoid(torch.softmax(self.conv(x), dim=1) + self.bias)",
          init="self.conv = nn.Conv3d(4, 20, 2, stride=2)\nself.bias = nn.Parameter(torch.randn(20, 1, 1, 1))")
reference("direct_pool", "direct_convolution", "torch.randn(2, 3, 4, 5, 6)",
          "x = self.pool(torch.tanh(self.conv(x)) * 0.5)\nx = torch.softmax(x, dim=1) - self.bias.view(1, -1, 1, 1, 1)\nreturn torch.max(x * torch.sigmoid(x), dim=1).values",
          init="self.conv = nn.ConvTranspose3d(3, 10, 3, stride=2, padding=1)\nself.pool = nn.MaxPool3d(2)\nself.bias = nn.Parameter(torch.randn(10))")
# Channels so small beside the others that a common power of two for them would make the sums of the others infinite.
reference("direct_tiny_channels", "direct_convolution", "torch.randn(2, 64, 5, 6)", "return self.conv(torch.cat([x, x * 1e-33], dim=1))",
          init="self.conv = nn.Conv2d(128, 16, 1)")
# Norms of rows, in the tiles of the convolution before them: with a pool behind, without one, and of rows of one phase.
reference("direct_norm_of_rows", "direct_convolution", "torch.randn(2, 3, 3, 4, 8)", "return F.gelu(self.pool(self.norm(self.conv(x) + self.k)))",
          init="self.conv = nn.ConvTranspose3d(3, 20, 3, stride=2, padding=1, output_padding=1)\nself.k = nn.Parameter(torch.tensor(0.5))\n"
               "self.norm = nn.LayerNorm(16)\nself.norm.weight = nn.Parameter(torch.randn(16))\nself.norm.bias = nn.Parameter(torch.randn(16))\nself.pool = nn.AvgPool3d(2)")
reference("direct_norm_of_phases", "direct_convolution", "torch.randn(2, 3, 4, 16)", "return torch.tanh(self.norm(self.conv(x)) * 0.25) + 2.0",
          init="self.conv = nn.ConvTranspose2d(3, 20, 4, stride=2, padding=1)\nself.norm = nn.LayerNorm(32, eps=0.01)\nself.norm.weight = nn.Parameter(torch.randn(32))")
reference("direct_norm_of_plain_rows", "direct_convolution", "torch.randn(2, 3, 6, 16)", "return self.pool(self.norm(torch.relu(self.conv(x))))",
          init="self.conv = nn.Conv2d(3, 10, 3, padding=1)\nself.norm = nn.LayerNorm(16, elementwise_affine=False)\nself.pool = nn.MaxPool2d(2)")
reference("direct_pool_of_softmax", "direct_convolution", "torch.randn(2, 3, 9, 22)", "return self.second(self.pool(torch.softmax(self.conv(x), dim=1)))",
          init="self.conv = nn.Conv2d(3, 10, 3)\nself.pool = nn.MaxPool2d(2)\nself.second = nn.MaxPool2d(2)")
reference("direct_mean", "direct_convolution", "torch.randn(2, 16, 11, 13)", "return self.pool(torch.tanh(self.conv(x) - 0.5) - self.bias) + 1.0",
          init="self.conv = nn.Conv2d(16, 24, 3, stride=2, groups=2, bias=False)\nself.pool = nn.AvgPool2d((2, 3))\nself.bias = nn.Parameter(torch.randn(24, 1, 1))")
reference("direct_sums", "direct_convolution", "torch.randn(3, 4, 9, 11)", "return torch.softmax(F.hardswish(self.conv(x)), dim=1).mean(dim=[2, 3]) + 1.0",
          init="self.conv = nn.Conv2d(4, 20, 3, bias=False)")
reference("direct_sums_of_pool", "direct_convolution", "torch.randn(2, 3, 5, 6, 7)", "return torch.clamp(self.mean(self.pool(self.conv(x) * 0.5)), max=0.9)",
          init="self.conv = nn.ConvTranspose3d(3, 10, 3, stride=2, padding=1)\nself.pool = nn.MaxPool3d(2)\nself.mean = nn.AdaptiveAvgPool3d(1)")
reference("direct_sums_of_runs", "direct_convolution", "torch.randn(420, 2, 20, 20)", "return torch.relu(self.conv(x)).mean(dim=[2, 3])", init="self.conv = nn.Conv2d(2, 6, 2)")
reference("direct_sums_of_groups", "direct_convolution", "torch.randn(540, 16, 20)", "return torch.relu(self.conv(x)).mean(dim=2)",
          init="self.conv = nn.Conv1d(16, 12, 3, groups=2)")
# Norms whose statistics a convolution gives that stores nothing else: of all images, of an image's groups and of its channels, at two
# convolutions or only for means.
reference("twice_batch", "convolve_twice", "torch.randn(3, 3, 30, 31)", "x = self.norm(F.leaky_relu(self.conv(x)) * self.k)\nreturn x - x.mean(dim=[2, 3], keepdim=True)",
          init="self.conv = nn.Conv2d(3, 16, 2)\nself.k = nn.Parameter(torch.rand(16, 1, 1) + 5.0)\nself.norm = nn.BatchNorm2d(16, eps=0.1, momentum=0.3)\nself.norm.weight = nn.Parameter(torch.randn(16))")
reference("twice_groups", "convolve_twice", "torch.randn(2, 4, 20, 31)", "return F.relu(self.norm(F.relu(self.conv(x)) * 2.0))",
          init="self.conv = nn.ConvTranspose2d(4, 24, 2, stride=2)\nself.norm = nn.GroupNorm(3, 24)\nself.norm.weight = nn.Parameter(torch.randn(24))\nself.norm.bias = nn.Parameter(torch.randn(24))")
reference("twice_instances", "convolve_twice", "torch.randn(2, 3, 40, 41)", "return torch.amax(torch.clamp(self.norm(self.conv(x) * self.k), -1.0, 1.0) * self.k, dim=1)",
          init="self.conv = nn.Conv2d(3, 16, 2)\nself.norm = nn.InstanceNorm2d(16, eps=0.1)\nself.k = nn.Parameter(torch.rand(16, 1, 1) + 0.5)")
reference("once_for_means", "convolve_twice", "torch.randn(2, 16, 12, 13)", "return self.mean(self.norm(self.conv(x)))",
          init="self.conv = nn.ConvTranspose2d(16, 24, 3, stride=2)\nself.norm = nn.BatchNorm2d(24, eps=0.1)\nself.mean = nn.AdaptiveAvgPool2d(1)\nself.norm.bias = nn.Parameter(torch.randn(24))")
# Average pools that go into the weight only once the norm between is gone: of all images, twice, and of groups, behind a scale.
reference("twice_pooled", "convolve_twice pool_into_convolution", "torch.randn(2, 3, 6, 7, 8)", "return torch.tanh(self.second(self.first(self.norm(self.conv(x)))))",
          init="self.conv = nn.ConvTranspose3d(3, 16, 3, stride=2, padding=1)\nself.norm = nn.BatchNorm3d(16, eps=0.1)\nself.norm.weight = nn.Parameter(torch.randn(16))\n"
               "self.norm.bias = nn.Parameter(torch.randn(16))\nself.first = nn.AvgPool3d(2)\nself.second = nn.AvgPool3d(2)")
reference("twice_pooled_groups", "convolve_twice pool_into_convolution", "torch.randn(2, 4, 20, 31)", "return torch.sigmoid(self.pool(self.norm(self.conv(x) * self.k)))",
          init="self.conv = nn.Conv2d(4, 24, 2, padding=1)\nself.k = nn.Parameter(torch.rand(24, 1, 1) + 0.5)\nself.norm = nn.GroupNorm(3, 24)\n"
               "self.norm.weight = nn.Parameter(torch.randn(24))\nself.pool = nn.AvgPool2d((2, 3))")
reference("largest", "fuse_elementwise", "torch.randn(6, 40)", "return torch.relu(torch.max(x * 2.0, dim=1, keepdim=True).values - 0.5), torch.min(torch.tanh(x), 0)[0]")

# Norms whose statistics have a kernel of their own: pieces of one, two and many images, rows that are no multiple of four, what stands
# before and behind.
reference("batch_norm_volumes", "split_reduction", "torch.randn(3, 5, 7, 9, 11) + torch.arange(5).view(5, 1, 1, 1)", "return self.second(self.first(self.norm(x)))",
          init="self.norm = nn.BatchNorm3d(5, eps=0.01, momentum=0.3)\nself.norm.weight = nn.Parameter(torch.randn(5))\nself.first = nn.AvgPool3d(2)\nself.second = nn.AdaptiveAvgPool3d(1)")
reference("batch_norm_shifted", "split_reduction fuse_elementwise", "torch.randn(2, 3, 80, 128) + 100.0", "return self.norm(F.silu(x - self.shift) * 2.0).relu() + x",
          init="self.norm = nn.BatchNorm2d(3)\nself.shift = nn.Parameter(torch.randn(3, 1, 1))\nself.norm.bias = nn.Parameter(torch.randn(3))")
reference("batch_norms", "split_reduction fuse_elementwise", "torch.randn(4, 6, 13, 10)",
          "y = F.relu(self.first(x))\ny = self.second(y) * y\nreturn y.mean(dim=[2, 3], keepdim=True), self.third(torch.tanh(F.softplus(y)) * y)",
          init="self.first = nn.BatchNorm2d(6)\nself.second = nn.BatchNorm2d(6, affine=False)\nself.third = nn.BatchNorm2d(6, track_running_stats=False)")
reference("long_groups", "split_reduction fuse_elementwise", "torch.randn(2, 6, 150, 154) * 3.0 + 20.0", "return F.hardswish(self.norm(torch.sigmoid(x) * x))",
          init="self.norm = nn.GroupNorm(2, 6)\nself.norm.weight = nn.Parameter(torch.randn(6))\nself.norm.bias = nn.Parameter(torch.randn(6))")
reference("long_instances", "split_reduction fuse_elementwise", "torch.randn(1, 3, 257, 259)", "return self.norm(x) * 2.0", init="self.norm = nn.InstanceNorm2d(3)")

# Rows that their threads keep in registers: a thread a row, several rows a warp, a warp, a block.
reference("row_of_a_thread", "fuse_elementwise", "torch.randn(3, 70, 12)", "return torch.softmax(x * self.scale, dim=2) + x", init="self.scale = nn.Parameter(torch.randn(70, 1))")
reference("rows_of_a_warp", "fuse_elementwise", "torch.randn(3, 5, 37, 64)", "return F.gelu(self.norm(x + self.shift)) * 0.5",
          init="self.norm = nn.LayerNorm(64)\nself.norm.weight = nn.Parameter(torch.randn(64))\nself.norm.bias = nn.Parameter(torch.randn(64))\nself.shift = nn.Parameter(torch.randn(1))")
reference("row_of_a_warp", "fuse_elementwise", "torch.randn(7, 384), torch.randn(7, 384)", "y = self.norm(torch.relu(x) + z)\nreturn y * torch.sigmoid(z), y.amax(dim=1)",
          init="self.norm = nn.LayerNorm(384)", parameters="x, z")
reference("row_of_a_block", "fuse_elementwise", "torch.randn(3, 2048)", "return F.log_softmax(x + self.bias, dim=1) * self.scale",
          init="self.bias = nn.Parameter(torch.randn(2048))\nself.scale = nn.Parameter(torch.randn(2048))")
reference("row_of_a_large_block", "fuse_elementwise", "torch.randn(2, 4, 64, 64) * 2.0", "return torch.tanh(self.norm(x) * 0.5)",
          init="self.norm = nn.GroupNorm(1, 4)\nself.norm.weight = nn.Parameter(torch.randn(4))\nself.norm.bias = nn.Parameter(torch.randn(4))")

# Pools and depthwise convolutions in kernels for their windows: with and without padding, of pools, between other operators.
reference("pool_volumes", "window_kernels", "torch.randn(2, 3, 9, 10, 11)", "return self.largest(x), self.mean(x)",
          init="self.largest = nn.MaxPool3d(3, stride=2, padding=1, dilation=3)\nself.mean = nn.AvgPool3d(3, stride=2, padding=1)")
reference("pool_images", "window_kernels", "torch.randn(2, 3, 17, 22)", "return self.first(torch.relu(x * self.scale - 0.25)) * 2.0 + self.shift, self.second(x), self.third(x)",
          init="self.first = nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True)\nself.second = nn.AvgPool2d((2, 3), padding=1, count_include_pad=False)\nself.third = nn.AvgPool2d(9)\n"
               "self.scale = nn.Parameter(torch.randn(3, 1, 1))\nself.shift = nn.Parameter(torch.randn(1, 3, 1, 1))")
reference("pools_of_pools", "window_kernels", "torch.randn(2, 3, 31, 27), torch.randn(2, 3, 7, 6)",
          "y = torch.tanh(x) * torch.sigmoid(x)\ny = F.avg_pool2d(F.avg_pool2d(y, 2), 2)\nreturn F.gelu(y) + z, F.max_pool2d(F.max_pool2d(x, 3, stride=2), 2)", parameters="x, z")
reference("norm_and_pool", "split_reduction window_kernels", "torch.randn(3, 4, 12, 14)", "return F.max_pool2d(F.leaky_relu(self.norm(self.conv(x))), 3, stride=2, padding=1)",
          init="self.conv = nn.Conv2d(4, 6, 3, padding=1, bias=False)\nself.norm = nn.BatchNorm2d(6)\nself.norm.weight = nn.Parameter(torch.randn(6))")
reference("depthwise", "window_kernels", "torch.randn(2, 6, 12, 15)", "return F.relu6(self.first(x)), self.second(x) * torch.sigmoid(self.scale)",
          init="self.first = nn.Conv2d(6, 6, 3, padding=1, groups=6, bias=False)\nself.second = nn.Conv2d(6, 12, (3, 5), stride=2, padding=(0, 2), dilation=(2, 1), groups=6)\nself.scale = nn.Parameter(torch.randn(12, 1, 1))")
reference("rows_with_a_rest", "fuse_elementwise", "torch.randn(3, 8, 15, 30), torch.randn(5, 1000)", "return torch.relu(self.norm(x)) + 1.0, torch.softmax(y * 2.0, dim=1)",
          init="self.norm = nn.GroupNorm(2, 8)\nself.norm.weight = nn.Parameter(torch.randn(8))", parameters="x, y")
reference("norm_and_depthwise", "split_reduction window_kernels", "torch.randn(3, 4, 12, 14)", "return self.second(F.relu6(self.norm(self.first(x))))",
          init="self.first = nn.Conv2d(4, 6, 1, bias=False)\nself.norm = nn.BatchNorm2d(6)\nself.norm.bias = nn.Parameter(torch.randn(6) + 1.0)\nself.second = nn.Conv2d(6, 6, 3, stride=2, padding=1, groups=6)")

# Three convolutions, so that kernels come for both orders of memory.
reference("norms_of_channels_last", "split_reduction fuse_elementwise channels_last", "torch.randn(2, 16, 9, 10)",
          "y = F.relu(self.n1(self.c1(x)))\ny = self.n2(F.silu(self.c2(y))) + y * self.scale\nreturn torch.tanh(self.n3(self.c3(y)))",
          init="self.c1 = nn.Conv2d(16, 40, 3, padding=1)\nself.c2 = nn.Conv2d(40, 40, 1)\nself.c3 = nn.Conv2d(40, 18, 1)\n"
               "self.n1, self.n2, self.n3 = nn.BatchNorm2d(40, eps=0.1), nn.BatchNorm2d(40, eps=0.1, affine=False), nn.BatchNorm2d(18, eps=0.1)\nself.scale = nn.Parameter(torch.randn(40, 1, 1))")
reference("volumes_of_channels_last", "split_reduction fuse_elementwise channels_last", "torch.randn(2, 16, 4, 6, 5)",
          "y = torch.relu(self.c2(torch.relu(self.c1(x) - 0.5)))\nreturn self.n(self.c3(y) + 0.5) * 2.0",
          init="self.c1 = nn.Conv3d(16, 16, 1)\nself.c2 = nn.Conv3d(16, 16, 1)\nself.c3 = nn.Conv3d(16, 132, 1)\nself.n = nn.BatchNorm3d(132, eps=0.1)")

# Running sums and products: in one pass and in several, with whole vectors and without, of columns, with what stands around them.
reference("running_sums", "scan_kernels", "torch.randn(3, 9001), torch.randn(2, 16404), torch.randn(2, 3, 1000)", "return torch.cumsum(x, 1), y.cumsum(-1), torch.cumsum(z, dim=2)", parameters="x, y, z")
reference("running_products", "scan_kernels", "torch.rand(3, 8204) * 0.1 + 0.95, torch.rand(601, 50) + 0.5, torch.rand(300, 128) + 0.5", "return torch.cumprod(x, 1), torch.cumprod(y, 1), z.cumprod(1)", parameters="x, y, z")
reference("running_sums_from_the_end", "scan_kernels", "torch.randn(2, 3, 1000), torch.randn(5, 333)",
          "return x.flip(2).cumsum(2).flip(-1), torch.cumsum(x.flip(-1), -1), x.cumsum(2).flip(2), y.flip(1).cumsum(1).flip(1), torch.cumsum(y.flip(0), 1)", parameters="x, y")
reference("masked_running_sums", "scan_kernels", "torch.randn(3, 1000), torch.randn(3, 1000) > 0.0, torch.randn(3, 77), torch.randn(3, 77) > 0.5",
          "return torch.cumsum(x * mask, 1), torch.cumsum((few * torch.tanh(y)).flip(1), 1), torch.cumsum(torch.relu(x) * torch.sigmoid(x * 2.0).cumsum(1), 1) * 0.1, torch.cumsum(y * few.float(), 1)",
          parameters="x, mask, y, few")
reference("exclusive_running_sums", "scan_kernels", "torch.randn(5, 1000), torch.randn(3, 2, 512)",
          "zeros = torch.zeros_like(x.select(1, 0).unsqueeze(1))\nrows = torch.cumsum(torch.cat((zeros, x), dim=1)[:-1], dim=1)\n"
          "places = torch.cumsum(torch.cat((zeros, x), dim=1)[:, :-1], dim=1)\nshifted = torch.cumsum(F.pad(y, (4, 8))[1:], dim=2)\n"
          "behind = torch.cumsum(torch.cat((x[:, 3:], x.new_zeros(5, 7)), dim=1).flip(1), dim=1)\n"
          "inside = torch.cumsum(torch.cat((torch.full((3, 2, 9), 0.0), y.flip(2)[:, :, 5:400]), dim=2)[-2:, :, 2:-3], dim=2)\nreturn rows, places, shifted, behind, inside", parameters="x, y")
reference("running_sums_of_columns", "scan_kernels fuse_elementwise", "torch.randn(3, 19, 2100), torch.rand(4, 4099) + 0.5, torch.randn(19, 1)",
          "return torch.cumsum(F.silu(x) * z, 1).relu() + 1.0, x.flip(1).cumsum(1).flip(1), torch.cumprod(y, 0), torch.cumsum(F.pad(x, (0, 0, 1, 0))[1:, :-1], 1)", parameters="x, y, z")
reference("running_sums_of_others", "scan_kernels", "torch.randn(4, 600)", "y = torch.tanh(self.l(x)) * self.scale\nreturn torch.sigmoid(torch.cumsum(y - 0.5, 1)) * 2.0",
          init="self.l = nn.Linear(600, 260)\nself.scale = nn.Parameter(torch.randn(260))")
# Products of which rows are no multiple of four, so large that padding pays: of inputs, of weights with and without a bias, where one size is odd.
reference("odd_matrices", "aligned_products", "torch.randn(2051, 2003), torch.randn(2003, 2051)", "return torch.matmul(A, B)", parameters="A, B")
reference("odd_layers", "aligned_products", "torch.randn(1025, 1999)", "return self.third(self.second(torch.relu(self.first(x)))).t()",
          init="self.first = nn.Linear(1999, 2001)\nself.second = nn.Linear(2001, 2048, bias=False)\nself.third = nn.Linear(2048, 1798)")
reference("odd_batches", "aligned_products", "torch.randn(3, 1153, 1502), torch.randn(3, 1502, 1152)", "return torch.bmm(x, y), torch.addmm(self.bias, x[1], self.weight)",
          init="self.bias = nn.Parameter(torch.randn(2303))\nself.weight = nn.Parameter(torch.randn(1502, 2303))", parameters="x, y")
# Products by halves: sums that are cut and rows that are no multiple of anything, factors that are transposed, layers with one input, numbers of very
# different sizes, batches.
reference("halves_of_matrices", "scaled_halves", "torch.randn(70, 2101) * torch.logspace(-18, 12, 70)[:, None], torch.randn(2101, 45)", "return torch.matmul(A, B)", parameters="A, B")
reference("halves_of_short_sums", "scaled_halves", "torch.randn(90, 20), torch.randn(20, 64) * 1e-30", "return torch.matmul(A, B)", parameters="A, B")
reference("halves_of_long_sums", "scaled_halves", "torch.cat([torch.randn(9, 4201), torch.zeros(2, 4201), torch.full((1, 4201), 1e-40)]), torch.randn(4201, 12) * torch.logspace(-4, 0, 4201)[:, None]",
          "return torch.matmul(A, B)", parameters="A, B")
reference("halves_of_transposed", "scaled_halves", "torch.randn(1100, 53), torch.randn(44, 1100)", "return torch.matmul(A.T, B.T)", parameters="A, B")
reference("halves_of_layers", "scaled_halves fuse_elementwise", "torch.randn(3, 21, 200)",
          "return self.out(torch.relu(self.first(x))) + torch.sigmoid(self.second(x)), torch.addmm(self.bias, x[1], self.weight)",
          init="self.first, self.second, self.out = nn.Linear(200, 1200), nn.Linear(200, 72), nn.Linear(1200, 72, bias=False)\n"
               "self.bias = nn.Parameter(torch.randn(50))\nself.weight = nn.Parameter(torch.randn(200, 50))")
reference("halves_of_batches", "scaled_halves", "torch.randn(3, 40, 1030), torch.randn(3, 36, 1030)",
          "return torch.bmm(x, y.transpose(1, 2)), torch.bmm(x.transpose(1, 2), x)", parameters="x, y")
# Arguments that are not all tensors in their places: how a call is passed on.
reference("starred_inputs", "", "torch.randn(64, 2048), torch.randn(64, 2048)", "return torch.sigmoid(xs[0]) * xs[1] + 1.0", parameters="*xs")
reference("keyword_inputs", "", "torch.randn(64, 2048)", "return torch.sigmoid(x) * x * scale", parameters="x, *, scale=1.5")
reference("number_before_inputs", "fuse_elementwise", "2.0, torch.randn(64, 2048)", "return torch.sigmoid(x) * x + scale", parameters="scale, x")

# Places of extremes, of numbers that are equal, NaN and infinite: along the middle, the last and the first dimension, long and short.
reference("places_of_columns", "arg_reduction", "torch.where(torch.rand(3, 300, 37) < 0.005, float('nan'), torch.randn(3, 300, 37).round())",
          "return torch.argmax(x, dim=1), torch.argmin(x, dim=-2, keepdim=True), torch.argmax(x, dim=0)")
reference("places_of_rows", "arg_reduction", "torch.randn(5, 3000).round() / torch.randint(0, 90, (5, 3000)).clamp_max(2)",
          "return torch.argmin(x, dim=1, keepdim=True), torch.argmax(x[:, :9].contiguous(), -1), torch.argmax(x, dim=0)")
reference("places_of_narrow_columns", "arg_reduction fuse_elementwise", "torch.randn(2, 3000, 3), torch.randn(700, 5, 40)",
          "x = torch.relu(x) * 2.0\nreturn torch.max(x, 1)[1], torch.min(y, dim=1, keepdim=True)[1] + 1, torch.argmax(y[0, 0], dim=0), torch.argmax(y)", parameters="x, y")

# Numbers that forward sends to the device in each call, of which some operators can read the number itself.
reference("numbers_that_are_sent", "fuse_elementwise", "torch.randn(8, 16, 24)",
          "x = torch.min(x * 2.0, torch.tensor(0.5, device=x.device)) + torch.tensor(1.5, device=x.device)\nreturn torch.clamp(torch.tanh(x), max=torch.log(torch.tensor(1.75, device=x.device)))")

# Attention: with a mask of which some tiles hide all and some nothing, with ReLU, by the framework's own operator, between windows whose scores have
# scales and biases, of a layer of the framework.
reference("attention_with_a_mask", "fused_attention", "torch.randn(2, 150, 64)",
          "q, k, v = [part.view(2, 150, 4, 16).transpose(1, 2) for part in self.qkv(x).split(64, dim=2)]\n"
          "scores = (q @ k.transpose(-2, -1)) * 0.25\nscores = scores.masked_fill(self.mask[:, :, :150, :150] == 0, float('-inf'))\n"
          "return (F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous().view(2, 150, 64)",
          init="self.qkv = nn.Linear(64, 192)\nself.register_buffer('mask', torch.tril(torch.ones(160, 160)).view(1, 1, 160, 160))")
reference("attention_with_relu", "fused_attention", "torch.randn(3, 70, 24), torch.randn(3, 130, 24), torch.randn(3, 130, 40), torch.randn(3, 1, 130) > 1.0",
          "return torch.relu((x @ y.mT / 5.0).masked_fill(hidden, float('-inf'))) @ z", parameters="x, y, z, hidden")
reference("attention_of_the_framework", "fused_attention", "torch.randn(2, 3, 90, 32), torch.randn(2, 3, 90, 32), torch.randn(2, 3, 90, 32)",
          "return F.scaled_dot_product_attention(x, y, z, is_causal=True), F.scaled_dot_product_attention(x, y, z, attn_mask=self.bias, scale=0.3).transpose(1, 2).reshape(2, 90, 96)",
          init="self.bias = nn.Parameter(torch.randn(1, 3, 90, 90))", parameters="x, y, z")
reference("attention_with_a_number", "", "torch.randn(4, 64, 16), torch.randn(4, 64, 16)", "return torch.softmax((x @ y.mT) * self.scale, -1) @ y", init="self.scale = torch.tensor(0.25)", parameters="x, y")
reference("attention_in_windows", "fused_attention", "torch.randn(6, 49, 64)",
          "q, k, v = self.qkv(x).view(6, 49, 3, 2, 32).permute(2, 0, 3, 1, 4)\nscores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)\n"
          "scores = scores * self.scale.exp() + self.bias.unsqueeze(0)\nscores = (scores.view(3, 2, 2, 49, 49) + self.regions.unsqueeze(1).unsqueeze(0)).view(6, 2, 49, 49)\n"
          "return (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(6, 49, 64)",
          init="self.qkv = nn.Linear(64, 192)\nself.scale = nn.Parameter(torch.randn(2, 1, 1))\nself.bias = nn.Parameter(torch.randn(2, 49, 49))\nself.regions = nn.Parameter(torch.randn(2, 49, 49))")
reference("attention_without_keys", "fused_attention", "torch.randn(2, 2, 32, 16), torch.randn(2, 2, 48, 16), torch.randn(2, 2, 48, 16) + 2.0",
          "return F.scaled_dot_product_attention(x, y, z, attn_mask=self.hidden)", init="self.register_buffer('hidden', torch.zeros(1, 1, 32, 48))\nself.hidden[:, :, 5] = float('-inf')", parameters="x, y, z")
reference("attention_of_a_layer", "fused_attention", "torch.randn(66, 2, 96)", "return self.attention(x, x, x)[0]", init="self.attention = nn.MultiheadAttention(96, 2)")
