// SPDX-License-Identifier: GPL-3.0-or-later
// Draws inputs and steps, and puts a task together.
#include "core/synthesis/composer.h"

#include "core/synthesis/modulestep.h"

#include <numeric>

namespace cudal1::synthesis {

double Flow::elements() const
{
    return std::accumulate(shape.begin(), shape.end(), 1.0, [](double all, int one) { return all * one; });
}

std::string broadcastShape(const Flow& x, int dim, const std::string& size)
{
    std::string out;
    for (int d = 1; d < x.rank(); ++d)
        out += (out.empty() ? "" : ", ") + (d == dim ? size : std::string("1"));
    return out;
}

const std::vector<ModuleStep>& allSteps()
{
    static const std::vector<ModuleStep> steps = [] {
        std::vector<ModuleStep> all;
        addElementwiseSteps(all);
        addNormSteps(all);
        addReductionSteps(all);
        addProductSteps(all);
        addConvolutionSteps(all);
        addAttentionSteps(all);
        addRecurrenceSteps(all);
        addStructureSteps(all);
        return all;
    }();
    return steps;
}

Composer::Composer(std::uint64_t seed, std::uint64_t number) : draw(mixedBits(seed) ^ (number * 0x9e3779b97f4a7c15u)) {}

bool Composer::spend(double flop, double elements)
{
    if (m_flop + flop > mostFlop || m_elements + elements > mostElements)
        return false;
    m_flop += flop;
    m_elements += elements;
    return true;
}

void Composer::assign(const Flow& flow, const std::string& expression)
{
    text.statement(flow.name + " = " + expression);
}

void Composer::assignOf(const Flow& flow, std::string expression)
{
    for (auto at = expression.find("{}"); at != std::string::npos; at = expression.find("{}", at + flow.name.size()))
        expression.replace(at, 2, flow.name);
    assign(flow, expression);
}

void Composer::note(const std::string& id, const std::string& phrase)
{
    if (m_ids.size() < 4)
        m_ids.push_back(id);
    m_phrases.push_back(phrase);
}

Flow Composer::firstInput()
{
    Flow x;
    const int kind = draw.below(100);
    x.form = kind < 24 ? Form::Features
           : kind < 50 ? Form::Sequence
           : kind < 80 ? Form::Image
           : kind < 91 ? Form::Signal
                       : Form::Volume;
    const int batch = draw.of({1, 2, 4, 8, 16, 32});
    std::vector<std::string> names{"batch_size"};
    switch (x.form) {
    case Form::Features:
        x.shape = {batch * draw.of({2, 4, 8}), draw.of({24, 48, 64, 96, 100, 128, 192, 256, 320, 512, 1000})};
        names.emplace_back("features");
        break;
    case Form::Sequence:
        x.shape = {draw.of({1, 2, 4, 8}), draw.of({8, 12, 16, 24, 32, 50, 64}), draw.of({16, 32, 48, 64, 96, 128})};
        names.insert(names.end(), {"seq_len", "features"});
        break;
    case Form::Signal:
        x.shape = {draw.of({2, 4, 8, 16}), draw.of({4, 8, 12, 16, 32}), draw.of({32, 60, 100, 128, 256})};
        names.insert(names.end(), {"in_channels", "length"});
        break;
    case Form::Image: {
        const int height = draw.of({8, 12, 14, 16, 20, 24, 28, 32});
        x.shape = {draw.of({1, 2, 4, 8}), draw.of({3, 4, 8, 12, 16, 24, 32}), height,
                   draw.chance(75) ? height : draw.of({9, 16, 18, 30})};
        names.insert(names.end(), {"in_channels", "height", "width"});
        break;
    }
    case Form::Volume: {
        const int size = draw.of({6, 8, 10});
        x.shape = {draw.of({1, 2, 4}), draw.of({3, 4, 8, 12}), draw.of({4, 6, 8}), size, size};
        names.insert(names.end(), {"in_channels", "depth", "height", "width"});
        break;
    }
    }
    std::string arguments;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
        arguments += (d ? ", " : "") + text.size(names[d], x.shape[d]);
    const char* generator = draw.chance(88) ? "torch.randn" : "torch.rand";
    x.name = text.input("x", std::string(generator) + "(" + arguments + ")");
    return x;
}

std::string Composer::chain(Flow& flow, int most, bool keepShape)
{
    std::vector<std::string> phrases;
    for (int done = 0, tries = 0; done < most && tries < 12 * most; ++tries) {
        int all = 0;
        for (const ModuleStep& step : allSteps())
            all += keepShape && !step.inside ? 0 : step.weight;
        int at = draw.below(all);
        const ModuleStep* chosen = nullptr;
        for (const ModuleStep& step : allSteps()) {
            at -= keepShape && !step.inside ? 0 : step.weight;
            if (at < 0) {
                chosen = &step;
                break;
            }
        }
        if (chosen->id == m_before)
            continue;
        const std::string phrase = chosen->apply(*this, flow);
        if (phrase.empty())
            continue;
        m_before = chosen->id;
        ++done;
        phrases.push_back(phrase);
        if (depth == 0)
            note(chosen->id, phrase);
    }
    std::string out;
    for (std::size_t i = 0; i < phrases.size(); ++i)
        out += (i == 0 ? "" : i + 1 == phrases.size() ? " and " : ", ") + phrases[i];
    return out;
}

Composition Composer::compose()
{
    Flow x = firstInput();
    const int kind = draw.below(100);
    const int steps = kind < 12 ? 1 + draw.below(2) : kind < 70 ? 3 + draw.below(3) : 6 + draw.below(4);
    const char* what = x.form == Form::Features ? "vectors"
                     : x.form == Form::Sequence ? "sequences"
                     : x.form == Form::Signal   ? "signals"
                     : x.form == Form::Image    ? "images"
                                                : "volumes";
    const std::string phrases = chain(x, steps, false);
    text.returns(x.name);
    Composition out;
    for (const std::string& id : m_ids)
        out.name += (out.name.empty() ? "" : "_") + id;
    if (out.name.empty()) {
        out.name = "identity";
        return {out.name, text.text("Returns its input.")};
    }
    out.source = text.text("Works on " + std::string(what) + ": " + phrases + ".");
    return out;
}

Composition compose(std::uint64_t seed, std::uint64_t number)
{
    return Composer(seed, number).compose();
}

} // namespace cudal1::synthesis
