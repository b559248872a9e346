// SPDX-License-Identifier: GPL-3.0-or-later
// Gathers what may follow a convolution in its kernel, and chooses what saves most.
#include "core/policy/convolutionsite.h"

#include "core/policy/kernelpieces.h"
#include "core/policy/normsite.h"

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

/// What the small kernel takes that joins the sums of runs of tiles.
constexpr double joinParts_ns = 3e3;

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

bool readableInRegisters(const Chain& chain)
{
    for (std::size_t i = 0; chain.program && i < chain.program->inputs.size(); ++i) {
        if (chain.program->inputs[i] != chain.from && !readableByChannel(*chain.program, static_cast<int>(i)))
            return false;
    }
    return true;
}

/// A norm over the last axis of `from`, of which nothing but its result is read.
const GraphNode* rowNormOf(const Graph& graph, int from)
{
    const GraphNode* node = graph.usedOnce(from) ? graph.consumers(from).front() : nullptr;
    if (!node || node->op != "aten.native_layer_norm.default" || !node->kwargs.empty() || !anyNormSite(graph, *node) ||
        Graph::tensor(node->args[0]) != from || !Graph::number(node->args[4]))
        return nullptr;
    const Shape& shape = graph.shape(from);
    return node->args[1] == nlohmann::json(Shape{shape.back()}) && shape.size() > 2 ? node : nullptr;
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
            withMean(kernel, {}, {chain}, {});
            consider(std::move(kernel), {}, {chain}, {});
            withPool(chain, nullptr, chain.result);
            withRowNorm(chain);
        }
        return m_best;
    }

private:
    void withPool(const Chain& before, const GraphNode* norm, int from)
    {
        if (!m_graph.usedOnce(from) || (before.program && !before.program->outputs[0].full) ||
            !readableInRegisters(before))
            return;
        const GraphNode* node = m_graph.consumers(from).front();
        const auto pool = plainPoolOf(m_graph, *node);
        if (!pool || pool->stride != pool->window)
            return;
        for (const Chain& after : fittingChains(m_graph, pool->result)) {
            if (!readableInRegisters(after))
                continue;
            ConvolutionKernel kernel = kernelWith(before, norm, after);
            kernel.mean = pool->mean;
            if (!norm)
                withMean(kernel, pool->window, {before, after}, node);
            consider(std::move(kernel), pool->window, {before, after}, node, nullptr, norm);
        }
    }

    /// A norm of rows, with a pool behind it or without.
    void withRowNorm(const Chain& before)
    {
        const GraphNode* norm = rowNormOf(m_graph, before.result);
        if (!norm || (before.program && before.program->reduces()) || !readableInRegisters(before))
            return;
        for (const Chain& after : fittingChains(m_graph, norm->outputs[0])) {
            if (readableInRegisters(after))
                consider(kernelWith(before, norm, after), {}, {before, after}, nullptr, nullptr, norm);
        }
        withPool(before, norm, norm->outputs[0]);
    }

    static ConvolutionKernel kernelWith(const Chain& before, const GraphNode* norm, const Chain& after)
    {
        ConvolutionKernel kernel;
        kernel.before = before.program;
        kernel.beforeInput = before.from;
        kernel.after = after.program;
        kernel.afterInput = after.from;
        if (norm)
            kernel.rows = RowNorm{Graph::number(norm->args[4]).value(), Graph::tensor(norm->args[2]),
                                  Graph::tensor(norm->args[3])};
        return kernel;
    }

    /// Where the last operator is followed by the mean over all places, nothing but sums need be stored.
    void withMean(ConvolutionKernel kernel, const Shape& window, const std::vector<Chain>& chains,
                  const GraphNode* pool)
    {
        const Chain& last = chains.back();
        if (!m_graph.usedOnce(last.result) || (last.program && !last.program->outputs[0].full) ||
            !readableInRegisters(last))
            return;
        const GraphNode* mean = m_graph.consumers(last.result).front();
        if (!averagesAllPlaces(m_graph, *mean))
            return;
        kernel.stored = ConvolutionStore::Sums;
        consider(std::move(kernel), window, chains, pool, mean);
    }

    void consider(ConvolutionKernel kernel, const Shape& window, const std::vector<Chain>& chains,
                  const GraphNode* pool, const GraphNode* mean = nullptr, const GraphNode* norm = nullptr)
    {
        constexpr double workOfNorm = 0.3;
        if (kernel.rows && kernel.reduces())
            return;
        ConvolutionNeeds needs;
        needs.exact = exactFor(m_context, m_graph, m_convolution);
        needs.window = window;
        needs.channelsOfAWarp = kernel.reduces();
        needs.summed = mean != nullptr;
        needs.wholeRows = kernel.rows.has_value();
        needs.workBefore = (kernel.before ? workOf(*kernel.before) : 0) + (kernel.rows ? workOfNorm : 0);
        needs.workAfter = kernel.after ? workOf(*kernel.after) : 0;
        if (needs.channelsOfAWarp && m_convolution.groups > 1)
            return;
        const std::tuple key{window,       needs.channelsOfAWarp, needs.wholeRows,
                             needs.summed, needs.workBefore,      needs.workAfter};
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
        for (const GraphNode* node : {norm, pool}) {
            if (node)
                site.after.push_back(*node);
        }
        if (chains.size() > 1) {
            for (const GraphNode* node : chains.back().nodes)
                site.after.push_back(*node);
        }
        if (mean) {
            site.after.push_back(*mean);
            site.result = mean->outputs[0];
            site.expected_ns += joinParts_ns;
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
    std::map<std::tuple<Shape, bool, bool, bool, double, double>, std::optional<PlannedConvolution>>
        m_planned; ///< by needs
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

std::optional<ConvolutionSite> momentsSite(const TechniqueContext& context, const Graph& graph, const GraphNode& node,
                                           const Chain& behind)
{
    auto convolution = convolutionOf(graph, node);
    if (!convolution || graph.value(convolution->x).dtype != "float32" || behind.from != convolution->result ||
        !readableInRegisters(behind))
        return {};
    takePad(graph, *convolution); // as the convolution that runs again does
    ConvolutionSite site;
    site.convolution = std::move(*convolution);
    site.kernel.bias = site.convolution.bias.has_value();
    site.kernel.after = behind.program;
    site.kernel.afterInput = behind.from;
    site.kernel.stored = ConvolutionStore::Moments;
    site.needs.exact = exactFor(context, graph, site.convolution);
    site.needs.summed = true;
    site.needs.workAfter = behind.program ? workOf(*behind.program) : 0;
    const auto planned = planConvolution(graph, site.convolution, site.needs);
    if (!planned)
        return {};
    site.plan = planned->plan;
    constexpr double moments = 1.15; // by 210 timings on an H200, beside the model's error where results are stored
    site.expected_ns = (planned->measured() ? 1 : moments) * planned->time_ns + joinParts_ns;
    for (const GraphNode* one : behind.nodes)
        site.after.push_back(*one);
    return site;
}

} // namespace cudal1::policy
