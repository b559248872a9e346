// SPDX-License-Identifier: GPL-3.0-or-later
// Technique direct_convolution: convolutions in a kernel of our own, where the library has none that is fast, with the
// element-wise operators behind them.
#include "core/base/timetext.h"
#include "core/policy/convolutionkernel.h"
#include "core/policy/kernelpieces.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

/// A convolution, the element-wise operators that follow it in its kernel, and how the kernel runs.
struct Site {
    Convolution convolution;
    PlannedConvolution planned;
    std::vector<const GraphNode*> after;
    std::optional<KernelProgram> epilogue;
    double replaced_ns = 0; ///< of the operators that the kernel replaces

    int result() const { return after.empty() ? convolution.result : after.back()->outputs[0]; }
};

/// Nearly all tasks with few channels or with groups run in full float32 by the library, so that is what they keep.
bool exactFor(const TechniqueContext& context, const Graph& graph, const Convolution& c)
{
    if (context.prompt.precision != protocol::Precision::Kernelbench)
        return context.prompt.precision == protocol::Precision::Ieee;
    return c.groups > 1 || graph.shape(c.x)[1] < 8;
}

/// Whether `program` runs at each place of the convolution's result by itself.
bool fits(const Graph& graph, const std::optional<KernelProgram>& program, int result)
{
    return program && !program->reduces() && program->outputs.size() == 1 && program->outputs[0].full &&
           program->scalars.empty() && program->inputs.size() <= 8 && program->domain == graph.shape(result) &&
           std::find(program->inputs.begin(), program->inputs.end(), result) != program->inputs.end();
}

/// The longest run of element-wise operators behind the convolution of which nothing but the last result is read by
/// others.
void addEpilogue(const Graph& graph, Site& site)
{
    const int result = site.convolution.result;
    std::set<int> computed{result};
    std::vector<const GraphNode*> members;
    for (const GraphNode& node : graph.nodes()) {
        const auto read = Graph::tensors(node);
        const bool follows = std::any_of(read.begin(), read.end(), [&](int id) { return computed.contains(id); });
        if (!follows || !canFuse(graph, node) || node.outputs.size() != 1 ||
            graph.shape(node.outputs[0]) != graph.shape(result))
            continue;
        members.push_back(&node);
        computed.insert(node.outputs[0]);
        std::vector<int> open; // what others read
        for (const int value : computed) {
            const auto readers = graph.consumers(value);
            const bool inside = std::all_of(readers.begin(), readers.end(), [&](const GraphNode* reader) {
                return std::any_of(members.begin(), members.end(),
                                   [&](const GraphNode* member) { return member->id == reader->id; });
            });
            if (!inside || graph.isOutput(value))
                open.push_back(value);
        }
        if (open != std::vector<int>{node.outputs[0]})
            continue;
        auto program = buildProgram(graph, members, open);
        if (!fits(graph, program, result))
            return;
        site.after = members;
        site.epilogue = std::move(program);
    }
}

std::optional<Site> siteAt(const TechniqueContext& context, const Graph& graph, const GraphNode& node)
{
    const auto convolution = convolutionOf(graph, node);
    if (!convolution || graph.value(convolution->x).dtype != "float32" || node.time_ns <= 0)
        return {};
    const auto planned = planConvolution(graph, *convolution, exactFor(context, graph, *convolution));
    if (!planned)
        return {};
    Site site{*convolution, *planned, {}, {}, node.time_ns};
    addEpilogue(graph, site);
    for (const GraphNode* member : site.after)
        site.replaced_ns += member->time_ns;
    // The model tells the time within a third, and a launch from Python takes a little longer than the library's.
    constexpr double launch_ns = 5e3, margin = 0.8;
    if (site.planned.time_ns + launch_ns > margin * site.replaced_ns)
        return {};
    return site;
}

std::vector<Site> sitesOf(const TechniqueContext& context, const Graph& graph)
{
    std::vector<Site> out;
    for (const GraphNode& node : graph.nodes()) {
        if (auto site = siteAt(context, graph, node))
            out.push_back(std::move(*site));
    }
    return out;
}

class DirectConvolution : public Technique {
public:
    std::string id() const override { return "direct_convolution"; }
    std::string title() const override { return "Direct convolution"; }
    std::string comment() const override
    {
        return "compute convolutions, and what follows them element by element, in kernels of their own";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("The kernel is for GPUs with tensor cores; the device is a CPU.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        const auto sites = sitesOf(context, context.graph);
        if (sites.empty())
            return Match::no("The library's convolutions, if there are any, take less time than a kernel of our own "
                             "would by its model.");
        double replaced = 0, expected = 0;
        std::string list;
        for (const Site& site : sites) {
            replaced += site.replaced_ns;
            expected += site.planned.time_ns;
            list += (list.empty() ? "" : "; ") + description(context.graph, site) + " in " +
                    base::timeText(site.replaced_ns);
        }
        Match m;
        m.applies = true;
        m.gain = 1 / std::max(0.02, 1 - context.share(replaced - expected));
        m.finding = "The library computes " + list + ", " + numberText(100 * context.share(replaced)) +
                    " % of the operators' time.";
        m.design = "A block keeps the part of the input that its tile of places needs in shared memory and multiplies "
                   "it by tensor cores; " +
                   std::string(sites.front().planned.plan.exact
                                   ? "each factor is two numbers of TF32, so products are as good as in float32"
                                   : "factors are rounded to TF32, as the framework's convolutions may round them") +
                   ". A transposed convolution is computed by phase: results whose places have one remainder by the "
                   "stride need the same taps, so no multiplication by the zeros between places is made. Expected: " +
                   base::timeText(expected) + ". A result that needs infinities may be NaN.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext& context) const override
    {
        // An edit ends the pointers of all sites.
        for (auto sites = sitesOf(context, graph); !sites.empty(); sites = sitesOf(context, graph))
            replaceSite(graph, source, sites.front());
    }

private:
    static std::string description(const Graph& graph, const Site& site)
    {
        const Convolution& c = site.convolution;
        std::string out = (c.transposed ? "a transposed convolution of " : "a convolution of ") +
                          shapeText(graph.shape(c.x)) + " with a " + shapeText(graph.shape(c.weight)) + " weight";
        if (!site.after.empty()) {
            out += " and what follows it (";
            for (std::size_t i = 0; i < site.after.size(); ++i)
                out += (i ? ", " : "") + shortName(site.after[i]->op);
            out += ")";
        }
        return out;
    }

    static void replaceSite(Graph& graph, Source& source, const Site& site)
    {
        const Convolution& c = site.convolution;
        const ConvolutionPlan& plan = site.planned.plan;
        addCudaHelper(source);
        Source::once(source.helpers, packedTapsHelper());
        Source::once(source.helpers, preparedHelper());
        const std::string method = addMethod(
            source, "taps_" + std::to_string(c.result), "(self, weight)",
            "return (packed_taps(weight, " + number(c.groups) + ", " + (c.transposed ? "True" : "False") + ", " +
                tupleText(c.stride) + ", " + tupleText(c.padding) + ", " + tupleText(c.dilation) +
                ", chunk=" + number(plan.chunk) + ", columns=" + number(plan.columnsOfWarp * plan.warpsAlongChannels) +
                ", exact=" + (plan.exact ? "True" : "False") + "),)\n");
        const std::int64_t size = c.groups * plan.chunks() * plan.steps() * plan.columns() * (plan.exact ? 128 : 64);
        const int taps = graph.addValue({size}, "float32");
        GraphNode pack = preparedNode(graph, method, {c.weight}, {taps});
        pack.kwargs["stem"] = "taps_";

        std::vector<int> values{c.x, taps};
        if (c.bias)
            values.push_back(*c.bias);
        for (std::size_t i = 0; site.epilogue && i < site.epilogue->inputs.size(); ++i) {
            if (site.epilogue->inputs[i] != c.result)
                values.push_back(site.epilogue->inputs[i]);
        }
        const std::string about = description(graph, site);
        const std::string name = addFunction(
            source, "convolved_" + std::to_string(site.result()), [&](const std::string& free) {
                return functionText(free, plan, c, site.epilogue, values.size(), graph.shape(c.result), about);
            });
        std::string code = name + "(";
        for (std::size_t i = 0; i < values.size(); ++i)
            code += (i ? ", {" : "{") + std::to_string(i) + "}";
        GraphNode node = graph.pythonNode(code + ")", values, site.result());
        node.kwargs["stem"] = "convolution_";
        std::set<int> removed{c.node};
        for (const GraphNode* member : site.after)
            removed.insert(member->id);
        graph.replace(removed, {std::move(pack), std::move(node)});
    }

    static std::string functionText(const std::string& name, const ConvolutionPlan& plan, const Convolution& c,
                                    const std::optional<KernelProgram>& epilogue, std::size_t values,
                                    const Shape& shape, const std::string& about)
    {
        constexpr std::int64_t blocksAtMost = 1056; // eight for each processor of an H100; a block takes several tiles
        std::string out = name + "_kernel = CudaKernel(\"" + name + "_kernel\", r\"\"\"\n" +
                          convolutionText(plan, name + "_kernel", c.bias.has_value(), epilogue, c.result) + "\"\"\", " +
                          number(std::min(plan.tiles(), blocksAtMost)) + ", (" + number(plan.threads()) + ", 1), " +
                          std::to_string(values + 1) + ", 0, shared=" + number(plan.sharedBytes()) + ")\n\n\n";
        std::vector<std::string> names{"x", "taps"};
        if (c.bias)
            names.push_back("bias");
        while (names.size() < values)
            names.push_back("a" + std::to_string(names.size()));
        std::string parameters, checks, pointers;
        for (const std::string& parameter : names) {
            parameters += (parameters.empty() ? "" : ", ") + parameter;
            pointers += parameter + ".data_ptr(), ";
            if (parameter != "taps")
                checks += "    " + parameter + " = " + parameter + ".contiguous()\n";
        }
        return out + "@torch.compiler.disable\ndef " + name + "(" + parameters + "):\n    \"\"\"Computes " + about +
               " in one kernel.\"\"\"\n" + checks + "    out = torch.empty(" + tupleText(shape) +
               ", device=x.device)\n    " + name + "_kernel(x.get_device(), " + pointers + "out.data_ptr())\n" +
               "    return out\n";
    }
};

} // namespace

std::unique_ptr<Technique> makeDirectConvolution()
{
    return std::make_unique<DirectConvolution>();
}

} // namespace cudal1::policy
