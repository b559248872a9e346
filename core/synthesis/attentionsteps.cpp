// SPDX-License-Identifier: GPL-3.0-or-later
// Steps in which the positions of a sequence look at each other.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

bool affordsAttention(Composer& c, const Flow& x, int projections)
{
    const double pairs = double(x.batch()) * x.shape[1] * x.shape[1];
    return x.form == Form::Sequence && x.shape[1] >= 4 && x.last() >= 8 &&
           c.spend(2 * x.elements() * x.last() * projections + 4 * pairs * x.last(),
                   (projections + 2) * x.elements() + 4 * pairs + double(projections) * x.last() * x.last());
}

/// Names of tensors, each a linear layer of the flow.
std::vector<std::string> projected(Composer& c, const Flow& x, const std::vector<std::string>& names)
{
    const std::string n = c.text.size("embed_dim", x.last());
    std::vector<std::string> out;
    for (const std::string& name : names) {
        const std::string layer = c.text.attribute(name + "_proj", "nn.Linear(" + n + ", " + n + ")");
        out.push_back(c.text.local(name));
        c.text.statement(out.back() + " = " + layer + "(" + x.name + ")");
    }
    return out;
}

std::string attention(Composer& c, Flow& x)
{
    if (!affordsAttention(c, x, 3))
        return {};
    const auto qkv = projected(c, x, {"q", "k", "v"});
    const bool causal = c.draw.chance(40), relu = c.draw.chance(20);
    const std::string scores = c.text.local("scores");
    c.text.statement(scores + " = torch.matmul(" + qkv[0] + ", " + qkv[1] + ".transpose(1, 2)) / " +
                     c.text.attribute("scale", c.text.size("embed_dim", x.last()) + " ** 0.5"));
    if (causal) {
        const std::string mask = c.text.local("mask");
        c.text.statement(mask + " = torch.ones(" + scores + ".shape[1:], dtype=torch.bool, device=" + scores +
                         ".device).tril()");
        c.text.statement(scores + " = " + scores + ".masked_fill(~" + mask + ", " + (relu ? "0.0" : "float('-inf')") +
                         ")");
    }
    c.assign(x, "torch.matmul(" + (relu ? "torch.relu(" + scores + ")" : "torch.softmax(" + scores + ", dim=-1)") +
                    ", " + qkv[2] + ")");
    return causal ? "causal attention" : "attention";
}

std::string multiHead(Composer& c, Flow& x)
{
    const int heads = c.draw.of({2, 4});
    if (x.form != Form::Sequence || x.last() % heads || !affordsAttention(c, x, 4))
        return {};
    const std::string h = c.text.attribute("num_heads", c.text.size("num_heads", heads));
    std::vector<std::string> qkv = projected(c, x, {"q", "k", "v"});
    for (const std::string& name : qkv)
        c.text.statement(name + " = " + name + ".unflatten(2, (" + h + ", -1)).transpose(1, 2)");
    const std::string mixed = c.text.local("mixed");
    if (c.draw.chance(60)) {
        c.text.statement(mixed + " = F.scaled_dot_product_attention(" + qkv[0] + ", " + qkv[1] + ", " + qkv[2] +
                         (c.draw.chance(40) ? ", is_causal=True)" : ")"));
    } else {
        c.text.statement(mixed + " = torch.softmax(" + qkv[0] + " @ " + qkv[1] + ".transpose(2, 3) * " + qkv[0] +
                         ".shape[3] ** -0.5, dim=-1) @ " + qkv[2]);
    }
    const std::string n = c.text.size("embed_dim", x.last());
    c.assign(x, c.text.attribute("out_proj", "nn.Linear(" + n + ", " + n + ")") + "(" + mixed +
                    ".transpose(1, 2).flatten(2))");
    return "attention of several heads";
}

std::string linearAttention(Composer& c, Flow& x)
{
    if (x.form != Form::Sequence || x.last() > 96 ||
        !c.spend(6 * x.elements() * x.last() + 4 * x.elements() * x.last(), 8 * x.elements()) || x.shape[1] < 4)
        return {};
    const auto qkv = projected(c, x, {"q", "k", "v"});
    const std::string context = c.text.local("context");
    c.text.statement(context + " = torch.matmul(torch.softmax(" + qkv[1] + ", dim=1).transpose(1, 2), " + qkv[2] + ")");
    c.assign(x, "torch.matmul(torch.softmax(" + qkv[0] + ", dim=-1), " + context + ")");
    return "linear attention";
}

std::string positions(Composer& c, Flow& x)
{
    if (x.form != Form::Sequence || !c.spend(0, 2 * x.elements()))
        return {};
    c.assignOf(x, "{} + " +
                      c.text.attribute("positions", "nn.Parameter(torch.randn(" + c.text.size("seq_len", x.shape[1]) +
                                                        ", " + c.text.size("embed_dim", x.last()) + ") * 0.1)"));
    return "positions that are learned";
}

std::string tokenMixing(Composer& c, Flow& x)
{
    if (x.form != Form::Sequence || x.shape[1] < 4 ||
        !c.spend(4 * x.elements() * x.shape[1] * 2, 4 * x.elements() + 4.0 * x.shape[1] * x.shape[1]))
        return {};
    const std::string n = c.text.size("seq_len", x.shape[1]), hidden = c.text.size("tokens_hidden", 2 * x.shape[1]);
    const std::string a = c.text.attribute("mix_in", "nn.Linear(" + n + ", " + hidden + ")");
    const std::string b = c.text.attribute("mix_out", "nn.Linear(" + hidden + ", " + n + ")");
    c.assignOf(x, "{} + " + b + "(F.gelu(" + a + "({}.transpose(1, 2)))).transpose(1, 2)");
    return "mixing of positions";
}

std::string lastPosition(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.form != Form::Sequence || x.shape[1] < 2)
        return {};
    c.assignOf(x, "{}[:, -1, :]");
    x.shape = {x.batch(), x.last()};
    x.form = Form::Features;
    return "the last position";
}

std::string toSignal(Composer& c, Flow& x)
{
    if (c.depth > 0 || x.form != Form::Sequence || x.shape[1] < 8)
        return {};
    c.assignOf(x, "{}.transpose(1, 2)");
    x.shape = {x.batch(), x.shape[2], x.shape[1]};
    x.form = Form::Signal;
    return "features as channels";
}

} // namespace

void addAttentionSteps(std::vector<ModuleStep>& steps)
{
    steps.push_back({"attention", 7, true, attention});
    steps.push_back({"multi_head", 7, true, multiHead});
    steps.push_back({"linear_attention", 3, true, linearAttention});
    steps.push_back({"positions", 2, true, positions});
    steps.push_back({"token_mixing", 4, true, tokenMixing});
    steps.push_back({"last_position", 2, false, lastPosition});
    steps.push_back({"to_signal", 2, false, toSignal});
}

} // namespace cudal1::synthesis
