// SPDX-License-Identifier: GPL-3.0-or-later
// Gathers what may follow a convolution in its kernel, and chooses what saves most.
#include "core/policy/convolutionsite.h"

#include "core/policy/elementwisechains.h"
#include "core/policy/kernelpieces.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cudal1::policy {

namespace {

/// Nearly all tasks with few channels or with groups run in full float32 by the library, so that is what they keep.
bool exactFor(const TechniqueContext& context, const Graph& graph, const Convolution& c)
{
    if (context.prompt.precision != protocol::Precision::Kernelbench)
        return context.prompt.precision == protocol::Precision::Ieee;
    return c.groups > 1 || graph.shape(c.x)[1] < 8;
}

std::int64_t placesOf(const Shape& shape)
{
    std::int64_t out = 1;
    for (std::size_t i = 2; i < shape.size(); ++i)
        out *= shape[i];
    return out;
}

/// Has the convolution read what an operator puts zeros around, where nobody else reads the result, and returns that
/// operator: the kernel takes zeros for what lies outside of its input, on each side as many as there are. Null where
/// there is none.
const GraphNode* takePad(const Graph& graph, Convolution& c)
{
    const GraphNode* pad = !c.transposed && graph.usedOnce(c.x) ? graph.producer(c.x) : nullptr;
    if (!pad || pad->op != "aten.constant_pad_nd.default" || !pad->kwargs.empty() || pad->args.size() < 2 ||
        (pad->args.size() > 2 && Graph::number(pad->args[2]) != 0.0))
        return nullptr;
    const nlohmann::json& zeros = pad->args[1]; // two numbers for each axis, the last axis first
    const std::size_t axes = c.axes();
    if (!zeros.is_array() || zeros.size() > 2 * axes ||
        !std::all_of(zeros.begin(), zeros.end(), [](const nlohmann::json& n) { return n.is_number_integer(); }))
        return nullptr;
    c.x = *Graph::tensor(pad->args[0]);
    for (std::size_t i = 0; i < axes; ++i) {
        c.in[i] = graph.shape(c.x)[i + 2];
        if (const std::size_t at = 2 * (axes - 1 - i); at < zeros.size())
            c.padding[i] += zeros[at].get<std::int64_t>();
    }
    return pad;
}

/// Whether `program` runs at each place of `from` by itself, over the channels at most.
bool fits(const Graph& graph, const std::optional<KernelProgram>& program, int from)
{
    const Shape& shape = graph.shape(from);
    if (!program || program->outputs.size() != 1 || !program->scalars.empty() || program->inputs.size() > 8 ||
        program->domain != shape ||
        std::find(program->inputs.begin(), program->inputs.end(), from) == program->inputs.end())
        return false;
    if (!program->reduces())
        return program->outputs[0].full;
    for (std::size_t i = 0; i < program->inputs.size(); ++i) {
        if (program->inputs[i] != from && !readableByChannel(*program, static_cast<int>(i)))
            return false;
    }
    return program->outerExtent() == shape[0] && program->reducedExtent() == shape[1] &&
           program->innerExtent() == placesOf(shape);
}

/// All runs of operators behind `from` that its kernel can compute, from the shortest on.
std::vector<Chain> fittingChains(const Graph& graph, int from)
{
    return chainsBehind(graph, from,
                        [&](const std::optional<KernelProgram>& program) { return fits(graph, program, from); });
}

class SiteSearch {
public:
    SiteSearch(const TechniqueContext& context, const Graph& graph, Convolution convolution)
        : m_context(context), m_graph(graph), m_pad(takePad(graph, convolution)), m_convolution(std::move(convolution))
    {
    }

    std::optional<ConvolutionSite> run()
    {
        for (const Chain& chain : fittingChains(m_graph, m_convolution.result)) {
            ConvolutionKernel kernel;
            kernel.after = chain.program;
            kernel.afterInput = chain.from;
            consider(std::move(kernel), {}, {chain}, {});
            withPool(chain);
        }
        return m_best;
    }

private:
    void withPool(const Chain& before)
    {
        if (!m_graph.usedOnce(before.result) || (before.program && !before.program->outputs[0].full) ||
            !readableInRegisters(before))
            return;
        const GraphNode* node = m_graph.consumers(before.result).front();
        const auto pool = plainPoolOf(m_graph, *node);
        if (!pool || pool->stride != pool->window)
            return;
        for (const Chain& after : fittingChains(m_graph, pool->result)) {
            if (!readableInRegisters(after))
                continue;
            ConvolutionKernel kernel;
            kernel.mean = pool->mean;
            kernel.before = before.program;
            kernel.beforeInput = before.from;
            kernel.after = after.program;
            kernel.afterInput = after.from;
            consider(std::move(kernel), pool->window, {before, after}, node);
        }
    }

    static bool readableInRegisters(const Chain& chain)
    {
        for (std::size_t i = 0; chain.program && i < chain.program->inputs.size(); ++i) {
            if (chain.program->inputs[i] != chain.from && !readableByChannel(*chain.program, static_cast<int>(i)))
                return false;
        }
        return true;
    }

    void consider(ConvolutionKernel kernel, const Shape& window, const std::vector<Chain>& chains,
                  const GraphNode* pool)
    {
        ConvolutionNeeds needs{exactFor(m_context, m_graph, m_convolution), window, false, 0, 0};
        needs.channelsOfAWarp = kernel.reduces();
        needs.workBefore = kernel.before ? workOf(*kernel.before) : 0;
        needs.workAfter = kernel.after ? workOf(*kernel.after) : 0;
        if (needs.channelsOfAWarp && m_convolution.groups > 1)
            return;
        const std::tuple key{window, needs.channelsOfAWarp, needs.workBefore, needs.workAfter};
        const auto [known, isNew] = m_planned.try_emplace(key);
        if (isNew)
            known->second = planConvolution(m_graph, m_convolution, needs);
        const auto& planned = known->second;
        if (!planned)
            return;
        kernel.bias = m_convolution.bias.has_value();
        ConvolutionSite site;
        site.convolution = m_convolution;
        site.needs = std::move(needs);
        site.plan = planned->plan;
        site.kernel = std::move(kernel);
        site.result = chains.back().result;
        site.replaced_ns = m_graph.producer(m_convolution.result)->time_ns;
        if (m_pad) {
            site.pad = m_pad->id;
            site.replaced_ns += m_pad->time_ns;
        }
        site.expected_ns = planned->time_ns;
        for (const GraphNode* node : chains.front().nodes)
            site.after.push_back(*node);
        if (pool) {
            site.after.push_back(*pool);
            for (const GraphNode* node : chains.back().nodes)
                site.after.push_back(*node);
        }
        for (const GraphNode& node : site.after)
            site.replaced_ns += node.time_ns;
        // A launch from Python takes a little longer than one of the library.
        constexpr double launch_ns = 5e3, margin = 0.95;
        if (site.expected_ns + launch_ns > margin * site.replaced_ns)
            return;
        const auto saved = [](const ConvolutionSite& s) { return s.replaced_ns - s.expected_ns; };
        // Every operator less is a launch less, which the time of operators measured alone does not tell.
        if (!m_best || saved(site) + 2e3 * static_cast<double>(site.after.size()) >=
                           saved(*m_best) + 2e3 * static_cast<double>(m_best->after.size()))
            m_best = std::move(site);
    }

    const TechniqueContext& m_context;
    const Graph& m_graph;
    const GraphNode* const m_pad;
    const Convolution m_convolution;
    std::map<std::tuple<Shape, bool, double, double>, std::optional<PlannedConvolution>> m_planned; ///< by all needs
    std::optional<ConvolutionSite> m_best;
};

} // namespace

std::set<int> ConvolutionSite::ids() const
{
    std::set<int> out{convolution.node};
    if (pad)
        out.insert(*pad);
    for (const GraphNode& node : after)
        out.insert(node.id);
    return out;
}

std::string ConvolutionSite::description(const Graph& graph) const
{
    std::string out = (convolution.transposed ? "a transposed convolution of " : "a convolution of ") +
                      shapeText(graph.shape(convolution.x)) + " with a " + shapeText(graph.shape(convolution.weight)) +
                      " weight";
    for (std::size_t i = 0; i < after.size(); ++i)
        out += (i ? ", " : ", then ") + shortName(after[i].op);
    return out;
}

std::optional<ConvolutionSite> convolutionSite(const TechniqueContext& context, const Graph& graph,
                                               const GraphNode& node)
{
    auto convolution = convolutionOf(graph, node);
    if (!convolution || graph.value(convolution->x).dtype != "float32" || node.time_ns <= 0)
        return {};
    return SiteSearch(context, graph, std::move(*convolution)).run();
}

} // namespace cudal1::policy
