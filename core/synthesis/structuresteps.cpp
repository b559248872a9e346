// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that hold other steps: residuals, branches, gates and chunks.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

constexpr int mostDepth = 2;

/// While it lives, steps stand inside of a structure.
class Inside {
public:
    explicit Inside(Composer& composer) : m_composer(composer) { ++m_composer.depth; }
    ~Inside() { --m_composer.depth; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

private:
    Composer& m_composer;
};

Flow copyOf(Composer& c, const Flow& x, const char* name)
{
    Flow other = x;
    other.name = c.text.local(name);
    c.text.statement(other.name + " = " + x.name);
    return other;
}

std::string residual(Composer& c, Flow& x)
{
    if (c.depth >= mostDepth || x.rank() < 2 || x.last() < 4 || !c.spend(0, 3 * x.elements()))
        return {};
    Flow inner = copyOf(c, x, "y");
    const Inside inside(c);
    const std::string what = c.chain(inner, 1 + c.draw.below(3), true);
    c.assign(x, x.name + " + " + inner.name);
    return what.empty() ? "a doubling" : "a residual around " + what;
}

std::string branches(Composer& c, Flow& x)
{
    if (c.depth >= mostDepth || x.last() < 4 || !c.spend(0, 4 * x.elements()))
        return {};
    const int kind = c.depth > 0 ? c.draw.below(3) : c.draw.below(5);
    Flow left = copyOf(c, x, "left"), right = copyOf(c, x, "right");
    std::string first, second;
    {
        const Inside inside(c);
        first = c.chain(left, 1 + c.draw.below(2), true);
        second = c.chain(right, 1 + c.draw.below(2), true);
    }
    if (first.empty() || second.empty())
        first = first.empty() ? "nothing" : first, second = second.empty() ? "nothing" : second;
    const std::string a = left.name, b = right.name;
    std::string how;
    if (kind == 0) {
        c.assign(x, a + " + " + b);
        how = "the sum of two branches";
    } else if (kind == 1) {
        c.assign(x, a + " * " + b);
        how = "the product of two branches";
    } else if (kind == 2) {
        c.assign(x, "torch.maximum(" + a + ", " + b + ")");
        how = "the larger of two branches";
    } else {
        const int dim = x.channelDim();
        c.assign(x, "torch.cat([" + a + ", " + b + "], dim=" + std::to_string(dim) + ")");
        x.shape[static_cast<std::size_t>(dim)] *= 2;
        how = "two branches side by side";
    }
    return how + " (" + first + "; " + second + ")";
}

std::string selfGate(Composer& c, Flow& x)
{
    if (c.depth >= mostDepth || x.last() < 4 || !c.spend(0, 4 * x.elements()))
        return {};
    Flow gate = copyOf(c, x, "gate");
    const Inside inside(c);
    const std::string what = c.chain(gate, 1 + c.draw.below(2), true);
    c.assign(x, x.name + " * " + c.draw.of({"torch.sigmoid", "torch.tanh", "F.silu"}) + "(" + gate.name + ")");
    return what.empty() ? "a gate by itself" : "a gate by " + what;
}

std::string halves(Composer& c, Flow& x)
{
    const int dim = x.channelDim();
    int& size = x.shape[static_cast<std::size_t>(dim)];
    if (c.depth > 0 || size % 2 || size < 8 || !c.spend(0, 2 * x.elements()))
        return {};
    const std::string a = c.text.local("a"), b = c.text.local("b");
    c.text.statement(a + ", " + b + " = " + x.name + ".chunk(2, dim=" + std::to_string(dim) + ")");
    const int kind = c.draw.below(3);
    c.assign(x, kind == 0 ? a + " * torch.sigmoid(" + b + ")" : kind == 1 ? a + " * F.gelu(" + b + ")" : a + " - " + b);
    size /= 2;
    return kind == 2 ? "the difference of two halves" : "a half that gates the other";
}

std::string shifted(Composer& c, Flow& x)
{
    const int dim = x.rank() - 1 - (x.form == Form::Sequence ? 1 : 0);
    if (x.shape[static_cast<std::size_t>(dim)] < 4 || !c.spend(0, 3 * x.elements()))
        return {};
    const std::string at = std::to_string(dim), by = std::to_string(c.draw.of({1, 2}));
    const int kind = c.draw.below(3);
    c.assignOf(x, kind == 0   ? "{} + torch.roll({}, shifts=" + by + ", dims=" + at + ")"
                  : kind == 1 ? "{} - torch.roll({}, shifts=" + by + ", dims=" + at + ")"
                              : "torch.maximum({}, torch.roll({}, shifts=" + by + ", dims=" + at + "))");
    return "its neighbours, by a shift";
}

} // namespace

void addStructureSteps(std::vector<ModuleStep>& steps)
{
    steps.push_back({"residual", 14, true, residual});
    steps.push_back({"branches", 10, true, branches});
    steps.push_back({"gate", 6, true, selfGate});
    steps.push_back({"halves", 4, false, halves});
    steps.push_back({"shift", 2, true, shifted});
}

} // namespace cudal1::synthesis
