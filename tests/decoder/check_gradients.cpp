// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of every weight of a decoder against differences of its loss. Run as: check_gradients DATA.
#include "core/decoder/decodermodel.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstdio>
#include <string>

using namespace cudal1::decoder;

namespace {

at::Tensor lossOf(const DecoderModel& model, const at::Tensor& tokens)
{
    const at::Tensor logits = model.forward(tokens).slice(1, 0, -1);
    return at::cross_entropy_loss(logits.reshape({-1, logits.size(2)}), tokens.slice(1, 1).reshape({-1}));
}

/// Moves each weight a little along its own gradient: the loss must grow by the step times the gradient's square.
int check(const std::string& path)
{
    const auto checkpoint = Checkpoint::open(path);
    if (!checkpoint) {
        std::printf("%s\n", checkpoint.error().text().c_str());
        return 1;
    }
    DecoderModel model(*checkpoint, at::kCPU, at::kDouble);
    const at::Tensor tokens = at::tensor({3, 17, 42, 5, 5, 60, 9, 33, 21, 8, 3, 50}, at::kLong).view({2, 6});
    for (auto& [name, weight] : model.weights())
        weight.requires_grad_(true);
    torch::autograd::backward({lossOf(model, tokens)}, {});
    int wrong = 0;
    for (auto& [name, weight] : model.weights()) {
        const at::NoGradGuard none;
        const at::Tensor gradient = weight.grad();
        if (!gradient.defined() || gradient.abs().max().item<double>() == 0) {
            std::printf("%s: %s has no gradient\n", path.c_str(), name.c_str());
            ++wrong;
            continue;
        }
        const double square = gradient.square().sum().item<double>(), step = 1e-4 / std::sqrt(square);
        const at::Tensor before = weight.detach().clone();
        weight.copy_(before + gradient * step);
        const double above = lossOf(model, tokens).item<double>();
        weight.copy_(before - gradient * step);
        const double below = lossOf(model, tokens).item<double>();
        weight.copy_(before);
        const double slope = (above - below) / (2 * step);
        // Rotation and norms are computed in floats even where the weights are doubles.
        if (!(std::abs(slope - square) < 0.02 * square)) {
            std::printf("%s: %s grows by %g and should by %g\n", path.c_str(), name.c_str(), slope, square);
            ++wrong;
        }
    }
    std::printf("%s: %zu weights, %d wrong\n", path.c_str(), model.weights().size(), wrong);
    return wrong;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::puts("check_gradients DATA");
        return 2;
    }
    int wrong = 0;
    for (const char* name : {"/llama", "/llama_biases", "/qwen2_yarn", "/qwen3"})
        wrong += check(argv[1] + std::string(name));
    return wrong > 0;
}
