// SPDX-License-Identifier: GPL-3.0-or-later
// Steps with matrix products: layers, weights of the task's own, and second inputs.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

bool isDense(const Flow& x)
{
    return x.form == Form::Features || x.form == Form::Sequence;
}

bool product(Composer& c, const Flow& x, int out)
{
    return x.last() > 1 &&
           c.spend(2 * x.elements() * out, x.elements() + x.elements() / x.last() * out + double(x.last()) * out);
}

int width(Composer& c)
{
    return c.draw.of({16, 32, 48, 64, 96, 100, 128, 192, 256});
}

std::string linear(Composer& c, Flow& x)
{
    const int out = c.depth > 0 ? x.last() : width(c);
    if (!isDense(x) || !product(c, x, out))
        return {};
    const bool bias = c.draw.chance(80);
    c.assignOf(x, c.text.attribute("linear", "nn.Linear(" + c.text.size("in_features", x.last()) + ", " +
                                                 c.text.size("out_features", out) + (bias ? ")" : ", bias=False)")) +
                      "({})");
    x.shape.back() = out;
    return "a linear layer";
}

std::string weightProduct(Composer& c, Flow& x)
{
    const int out = c.depth > 0 ? x.last() : width(c);
    if (!isDense(x) || !product(c, x, out))
        return {};
    const std::string in = c.text.size("in_features", x.last()), to = c.text.size("hidden_size", out);
    if (c.draw.chance(50)) {
        const std::string own = c.text.attribute("weight", "nn.Parameter(torch.randn(" + to + ", " + in + ") * 0.1)");
        c.assignOf(x, "torch.matmul({}, " + own + ".t())");
    } else {
        const std::string own = c.text.attribute("weight", "nn.Parameter(torch.randn(" + in + ", " + to + ") * 0.1)");
        c.assignOf(x, "torch.matmul({}, " + own + ")");
    }
    x.shape.back() = out;
    return "a product with a weight";
}

std::string inputProduct(Composer& c, Flow& x)
{
    const int out = width(c);
    if (c.depth > 0 || !isDense(x) || !product(c, x, out))
        return {};
    const bool batched = x.form == Form::Sequence && c.draw.chance(60);
    const std::string shape = (batched ? c.text.size("batch_size", x.batch()) + ", " : "") +
                              c.text.size("inner", x.last()) + ", " + c.text.size("columns", out);
    const std::string other = c.text.input("B", "torch.randn(" + shape + ")");
    c.assignOf(x, (batched ? "torch.bmm({}, " : "torch.matmul({}, ") + other + ")");
    x.shape.back() = out;
    return batched ? "a batched product with a second input" : "a product with a second input matrix";
}

std::string maskedProduct(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.form != Form::Features || x.last() > 192 || !product(c, x, x.last()))
        return {};
    const std::string n = c.text.size("inner", x.last());
    const std::string other = c.text.input("B", "torch.randn(" + n + ", " + n + ")");
    const bool lower = c.draw.chance(50);
    c.assignOf(x, "torch.matmul({}, torch." + std::string(lower ? "tril" : "triu") + "(" + other + "))");
    return lower ? "a product with a lower triangular matrix" : "a product with an upper triangular matrix";
}

std::string gram(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.form != Form::Sequence || x.shape[1] < 4 ||
        !c.spend(2 * x.elements() * x.shape[1], x.elements() + double(x.batch()) * x.shape[1] * x.shape[1]))
        return {};
    c.assignOf(x, "torch.bmm({}, {}.transpose(1, 2))");
    x.shape.back() = x.shape[1];
    return "products of all pairs of rows";
}

std::string feedForward(Composer& c, Flow& x)
{
    const int hidden = c.draw.of({2, 3, 4}) * x.last();
    if (!isDense(x) || x.last() < 8 ||
        !c.spend(4 * x.elements() * hidden, 2 * x.elements() / x.last() * hidden + 2.0 * x.last() * hidden))
        return {};
    const std::string in = c.text.size("features", x.last()), inner = c.text.size("hidden_features", hidden);
    const std::string up = c.text.attribute("up", "nn.Linear(" + in + ", " + inner + ")");
    const std::string down = c.text.attribute("down", "nn.Linear(" + inner + ", " + in + ")");
    if (c.draw.chance(35)) {
        const std::string gate = c.text.attribute("gate", "nn.Linear(" + in + ", " + inner + ")");
        c.assignOf(x, down + "(F.silu(" + gate + "({})) * " + up + "({}))");
        return "a gated feed-forward block";
    }
    c.assignOf(x, down + "(" + c.draw.of({"F.gelu", "torch.relu", "torch.tanh", "F.silu"}) + "(" + up + "({})))");
    return "a feed-forward block";
}

std::string lowRank(Composer& c, Flow& x)
{
    const int rank = c.draw.of({4, 8, 16});
    if (!isDense(x) || x.last() < 2 * rank || !c.spend(4 * x.elements() * rank, 3 * x.elements()))
        return {};
    const std::string n = c.text.size("features", x.last()), r = c.text.size("rank", rank);
    const std::string a = c.text.attribute("down_proj", "nn.Linear(" + n + ", " + r + ", bias=False)");
    const std::string b = c.text.attribute("up_proj", "nn.Linear(" + r + ", " + n + ", bias=False)");
    c.assignOf(x, "{} + " + b + "(" + a + "({}))");
    return "a low-rank update";
}

std::string diagonal(Composer& c, Flow& x)
{
    if (x.form != Form::Features || x.last() > 512 || !c.spend(2 * x.elements() * x.last(), 3 * x.elements()))
        return {};
    const std::string own = c.text.attribute("diagonal",
                                             "nn.Parameter(torch.randn(" + c.text.size("features", x.last()) + "))");
    c.assignOf(x, "torch.matmul({}, torch.diag(" + own + "))");
    return "a product with a diagonal matrix";
}

std::string outer(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.form != Form::Features || x.last() > 64 || x.last() < 4 ||
        !c.spend(x.elements() * x.last(), 2 * x.elements() * x.last()))
        return {};
    c.assignOf(x, "{}.unsqueeze(2) * {}.unsqueeze(1)");
    x.shape = {x.batch(), x.last(), x.last()};
    x.form = Form::Sequence;
    return "an outer product with itself";
}

} // namespace

void addProductSteps(std::vector<ModuleStep>& steps)
{
    steps.push_back({"linear", 26, true, linear});
    steps.push_back({"matmul_weight", 8, true, weightProduct});
    steps.push_back({"matmul_input", 8, false, inputProduct});
    steps.push_back({"triangular", 3, false, maskedProduct});
    steps.push_back({"gram", 3, false, gram});
    steps.push_back({"feed_forward", 8, true, feedForward});
    steps.push_back({"low_rank", 4, true, lowRank});
    steps.push_back({"diagonal", 2, true, diagonal});
    steps.push_back({"outer", 2, false, outer});
}

} // namespace cudal1::synthesis
