// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that go through a sequence one position after the other.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

constexpr int mostPositions = 24; ///< a position is some operators, each a few microseconds

bool affordsRecurrence(Composer& c, const Flow& x, int products)
{
    return x.form == Form::Sequence && x.shape[1] >= 4 && x.shape[1] <= mostPositions && x.last() <= 128 &&
           c.spend(2 * x.elements() * x.last() * products, (4 + products) * x.elements());
}

/// Begins a loop over positions with a state of zeros, and gives the names of the state, the list and the input.
struct Loop {
    std::string state, all, now;
};
Loop begun(Composer& c, const Flow& x)
{
    Loop loop{c.text.local("h"), c.text.local("states"), c.text.local("step")};
    c.text.statement(loop.state + " = torch.zeros_like(" + x.name + "[:, 0])");
    c.text.statement(loop.all + " = []");
    c.text.statement("for " + loop.now + " in " + x.name + ".unbind(1):");
    return loop;
}

void ended(Composer& c, const Flow& x, const Loop& loop)
{
    c.text.statement("    " + loop.all + ".append(" + loop.state + ")");
    c.assign(x, "torch.stack(" + loop.all + ", dim=1)");
}

std::string elman(Composer& c, Flow& x)
{
    if (!affordsRecurrence(c, x, 2))
        return {};
    const std::string n = c.text.size("hidden_size", x.last());
    const std::string in = c.text.attribute("input_to_hidden", "nn.Linear(" + n + ", " + n + ")");
    const std::string own = c.text.attribute("hidden_to_hidden", "nn.Linear(" + n + ", " + n + ", bias=False)");
    const Loop loop = begun(c, x);
    const char* function = c.draw.of({"torch.tanh", "torch.relu", "torch.sigmoid"});
    c.text.statement("    " + loop.state + " = " + function + "(" + in + "(" + loop.now + ") + " + own + "(" +
                     loop.state + "))");
    ended(c, x, loop);
    return "a recurrence";
}

std::string gated(Composer& c, Flow& x)
{
    if (!affordsRecurrence(c, x, 4))
        return {};
    const std::string n = c.text.size("hidden_size", x.last());
    const std::string gate = c.text.attribute("update_gate", "nn.Linear(2 * " + n + ", " + n + ")");
    const std::string next = c.text.attribute("candidate", "nn.Linear(2 * " + n + ", " + n + ")");
    const Loop loop = begun(c, x);
    const std::string both = c.text.local("both"), z = c.text.local("z");
    c.text.statement("    " + both + " = torch.cat([" + loop.now + ", " + loop.state + "], dim=1)");
    c.text.statement("    " + z + " = torch.sigmoid(" + gate + "(" + both + "))");
    c.text.statement("    " + loop.state + " = (1 - " + z + ") * " + loop.state + " + " + z + " * torch.tanh(" + next +
                     "(" + both + "))");
    ended(c, x, loop);
    return "a gated recurrence";
}

std::string decaying(Composer& c, Flow& x)
{
    if (!affordsRecurrence(c, x, 0))
        return {};
    const std::string decay = c.text.attribute("decay",
                                               "nn.Parameter(torch.rand(" + c.text.size("features", x.last()) + "))");
    const Loop loop = begun(c, x);
    c.text.statement("    " + loop.state + " = torch.sigmoid(" + decay + ") * " + loop.state + " + " + loop.now);
    ended(c, x, loop);
    return "a sum that decays";
}

std::string parallelGate(Composer& c, Flow& x)
{
    if (x.form != Form::Sequence || x.shape[1] < 4 || !c.spend(4 * x.elements() * x.last(), 8 * x.elements()))
        return {};
    const std::string n = c.text.size("features", x.last());
    const std::string gate = c.text.attribute("forget_gate", "nn.Linear(" + n + ", " + n + ")");
    const std::string value = c.text.attribute("value", "nn.Linear(" + n + ", " + n + ")");
    const std::string log = c.text.local("log_decay"), weight = c.text.local("weights");
    c.text.statement(log + " = torch.cumsum(F.logsigmoid(" + gate + "(" + x.name + ")), dim=1)");
    c.text.statement(weight + " = torch.exp(" + log + ")");
    c.assignOf(x, weight + " * torch.cumsum(" + value + "({}) / (" + weight + " + 1e-2), dim=1)");
    return "a gated sum by running sums";
}

std::string library(Composer& c, Flow& x)
{
    const int hidden = c.depth > 0 ? x.last() : c.draw.of({16, 32, 48, 64});
    const bool lstm = c.draw.chance(50), both = c.depth == 0 && c.draw.chance(25);
    if (x.form != Form::Sequence || x.shape[1] < 4 || x.shape[1] > mostPositions || x.last() > 128 ||
        !c.spend(8 * x.elements() * (x.last() + hidden), 8 * x.elements()))
        return {};
    const std::string own = c.text.attribute(
        lstm ? "lstm" : "gru", std::string(lstm ? "nn.LSTM(" : "nn.GRU(") + c.text.size("input_size", x.last()) + ", " +
                                   c.text.size("hidden_size", hidden) + ", batch_first=True" +
                                   (both ? ", bidirectional=True)" : ")"));
    c.assignOf(x, own + "({})[0]");
    x.shape.back() = hidden * (both ? 2 : 1);
    return std::string(both ? "a bidirectional " : "a ") + (lstm ? "LSTM" : "GRU");
}

} // namespace

void addRecurrenceSteps(std::vector<ModuleStep>& steps)
{
    steps.push_back({"recurrence", 4, true, elman});
    steps.push_back({"gated_recurrence", 3, true, gated});
    steps.push_back({"decay", 3, true, decaying});
    steps.push_back({"gated_sum", 2, true, parallelGate});
    steps.push_back({"rnn_layer", 4, true, library});
}

} // namespace cudal1::synthesis
