// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that make a tensor smaller along a dimension, running sums along one, and losses against a second input.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

/// The form that is left once `dim` is gone; false where none has that many dimensions.
bool without(Flow& x, int dim)
{
    if (x.rank() < 3)
        return false;
    const Form before = x.form;
    x.shape.erase(x.shape.begin() + dim);
    x.form = x.rank() == 2                                      ? Form::Features
           : x.rank() == 3 && before == Form::Image && dim == 1 ? Form::Sequence
           : x.rank() == 3                                      ? Form::Signal
                                                                : Form::Image;
    return true;
}

std::string reduced(Composer& c, Flow& x, const std::string& expression, const std::string& phrase)
{
    const int dim = 1 + c.draw.below(x.rank() - 1);
    if (x.shape[static_cast<std::size_t>(dim)] < 3 || !c.spend(0, x.elements()))
        return {};
    std::string text = expression;
    const auto at = text.find('$');
    const bool kept = c.depth > 0 || x.rank() == 2 || c.draw.chance(35);
    text.replace(at, 1, "dim=" + std::to_string(dim) + (kept ? ", keepdim=True" : ""));
    if (kept && c.depth > 0)
        return {}; // a structure wants its shape back
    c.assignOf(x, text);
    if (kept)
        x.shape[static_cast<std::size_t>(dim)] = 1;
    else
        without(x, dim);
    return phrase + (dim == x.channelDim() ? " over channels" : " over dimension " + std::to_string(dim));
}

void addReduction(std::vector<ModuleStep>& steps, const char* id, int weight, const char* expression,
                  const char* phrase)
{
    steps.push_back({id, weight, false, [=](Composer& c, Flow& x) { return reduced(c, x, expression, phrase); }});
}

std::string scan(Composer& c, Flow& x)
{
    const int dim = 1 + c.draw.below(x.rank() - 1);
    if (x.shape[static_cast<std::size_t>(dim)] < 4 || !c.spend(0, 3 * x.elements()))
        return {};
    const std::string at = std::to_string(dim);
    switch (c.draw.below(4)) {
    case 0: c.assignOf(x, "torch.cumsum({}, dim=" + at + ")"); return "a running sum";
    case 1:
        c.assignOf(x, "torch.cumsum({}.flip(" + at + "), dim=" + at + ").flip(" + at + ")");
        return "a running sum from the end";
    case 2: c.assignOf(x, "torch.cumsum({}, dim=" + at + ") - {}"); return "a running sum without the element itself";
    default: c.assignOf(x, "torch.cummax({}, dim=" + at + ").values"); return "a running maximum";
    }
}

std::string flattened(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.rank() < 3 || x.elements() / x.batch() > 4096)
        return {};
    c.assignOf(x, "torch.flatten({}, 1)");
    x.shape = {x.batch(), static_cast<int>(x.elements()) / x.batch()};
    x.form = Form::Features;
    return "flattening";
}

std::string loss(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.rank() != 2 || x.last() < 4 || !c.spend(0, 4 * x.elements()))
        return {};
    const std::string other = c.text.input("target", "torch.randn(" + c.text.size("batch_size", x.batch()) + ", " +
                                                         c.text.size("target_features", x.last()) + ")");
    const char* const kinds[] = {
        "torch.mean(({} - $) ** 2, dim=1)", "F.smooth_l1_loss({}, $, reduction='none').mean(dim=1)",
        "1 - F.cosine_similarity({}, $, dim=1)", "torch.mean(torch.clamp(1 - {} * $, min=0), dim=1)",
        "F.kl_div(torch.log_softmax({}, dim=1), torch.softmax($, dim=1), "
        "reduction='none').sum(dim=1)"};
    const char* const phrases[] = {"a squared error", "a smooth L1 error", "a cosine distance", "a hinge loss",
                                   "a Kullback-Leibler divergence"};
    const int kind = c.draw.below(5);
    std::string text = kinds[kind];
    text.replace(text.find('$'), 1, other);
    c.assignOf(x, "(" + text + ").unsqueeze(1)");
    x.shape[1] = 1;
    return phrases[kind];
}

std::string largest(Composer& c, Flow& x)
{
    const int k = c.draw.of({2, 4, 8});
    if (c.depth > 0 || x.last() < 3 * k || !c.spend(0, 8 * x.elements()))
        return {};
    c.assignOf(x, "torch.topk({}, " + c.text.attribute("k", c.text.size("k", k)) + ", dim=-1).values");
    x.shape.back() = k;
    return "the largest elements";
}

} // namespace

void addReductionSteps(std::vector<ModuleStep>& steps)
{
    addReduction(steps, "sum", 3, "torch.sum({}, $)", "the sum");
    addReduction(steps, "mean", 4, "torch.mean({}, $)", "the mean");
    addReduction(steps, "amax", 3, "torch.amax({}, $)", "the maximum");
    addReduction(steps, "amin", 2, "torch.amin({}, $)", "the minimum");
    addReduction(steps, "logsumexp", 3, "torch.logsumexp({}, $)", "the log of a sum of exponentials");
    addReduction(steps, "norm", 2, "torch.norm({}, p=2, $)", "the length");
    addReduction(steps, "variance", 1, "torch.var({}, $)", "the variance");
    steps.push_back({"scan", 3, true, scan});
    steps.push_back({"flatten", 4, false, flattened});
    steps.push_back({"loss", 2, false, loss});
    steps.push_back({"topk", 1, false, largest});
}

} // namespace cudal1::synthesis
