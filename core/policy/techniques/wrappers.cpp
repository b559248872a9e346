// SPDX-License-Identifier: GPL-3.0-or-later
// Techniques around the whole computation: device_constants, channels_last, compiled_graph, cuda_graph.
#include "core/base/timetext.h"
#include "core/policy/emitter.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

// Plain tensors of the module that forward copies to the device in each call.
std::vector<std::string> hostConstants(const TechniqueContext& context)
{
    std::vector<std::string> out;
    for (const GraphNode& node : context.prompt.graph.nodes) {
        const auto id = node.op == "aten._to_copy.default" && !node.args.empty() ? Graph::tensor(node.args[0])
                                                                                 : std::nullopt;
        if (!id || static_cast<std::size_t>(*id) >= context.graph.data().values.size() ||
            !node.kwargs.contains("device"))
            continue;
        const GraphValue& value = context.graph.value(*id);
        if (value.kind == GraphValue::Kind::Constant && !value.name.empty())
            out.push_back(value.name);
    }
    return out;
}

std::string firstTensor(const TechniqueContext& context)
{
    return context.prompt.graph.inputs.empty() ? "x" : context.graph.value(context.prompt.graph.inputs.front()).name;
}

/// Whether forward writes a number into a tensor of the device, which is a copy from the host in each call.
bool sendsNumbers(const TechniqueContext& context)
{
    const auto onDevice = [](const nlohmann::json& argument) {
        return Graph::writtenNumber(argument) &&
               argument.at("literal").get<std::string>().find("device='cuda") != std::string::npos;
    };
    const std::vector<GraphNode>& nodes = context.rewritten ? context.graph.nodes() : context.prompt.graph.nodes;
    return std::any_of(nodes.begin(), nodes.end(), [&](const GraphNode& node) {
        return std::any_of(node.args.begin(), node.args.end(), onDevice);
    });
}

bool hasRecurrence(const TechniqueContext& context)
{
    const auto& nodes = context.prompt.graph.nodes;
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const GraphNode& node) { return node.op.find("_rnn") != std::string::npos; });
}

class DeviceConstants : public Technique {
public:
    std::string id() const override { return "device_constants"; }
    std::string title() const override { return "Constants on the device"; }
    std::string comment() const override
    {
        return "move plain tensors of the module to the device once instead of in each call";
    }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda())
            return Match::no("On a CPU nothing is copied between devices.");
        const auto constants = hostConstants(context);
        if (constants.empty())
            return Match::no("Forward copies no tensor of the module from the host.");
        Match m;
        m.applies = true;
        m.gain = 1.05;
        m.finding = "self." + constants.front() +
                    " is copied from the host in each call, which waits for the device: " +
                    base::timeText(context.time_ns("_to_copy")) + ".";
        m.design = "The tensor is replaced by its copy on the device at the first call; after that the copy in forward "
                   "does nothing.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext& context) const override
    {
        for (const std::string& name : hostConstants(context)) {
            const std::string path = attributePath(name), tensor = firstTensor(context);
            source.convert.push_back("if USE_DEVICE_CONSTANTS and " + path + ".device != " + tensor +
                                     ".device:\n        " + path + " = " + path + ".to(" + tensor + ".device)");
        }
    }
};

// Kernels for channels innermost read them in vectors, so they need some: with 3 of them cuDNN's take up to seven times
// as long as with the channels outermost, and with one of a group as well.
bool hasWideChannels(const TechniqueContext& context, const GraphNode& node)
{
    constexpr std::int64_t least = 16;
    const auto& shape = context.graph.shape(Graph::tensor(node.args[1]).value_or(0));
    return shape.size() > 1 && shape[0] >= least && shape[1] >= least;
}

constexpr std::ptrdiff_t severalConvolutions = 3;

class ChannelsLast : public Technique {
public:
    std::string id() const override { return "channels_last"; }
    std::string title() const override { return "Channels last"; }
    std::string comment() const override
    {
        return "keep images with their channels innermost, as convolution kernels read them";
    }

    Match match(const TechniqueContext& context) const override
    {
        double ns = 0, wide_ns = 0;
        std::size_t rank = 0;
        std::ptrdiff_t convolutions = 0;
        for (const GraphNode& node : context.prompt.graph.nodes) {
            if (node.op != "aten.convolution.default")
                continue;
            ++convolutions;
            ns += node.time_ns;
            wide_ns += hasWideChannels(context, node) ? node.time_ns : 0;
            rank = std::max(
                rank, context.prompt.graph.values[static_cast<std::size_t>(Graph::tensor(node.args[1]).value_or(0))]
                          .shape.size());
        }
        if (rank < 4)
            return Match::no("The graph has no convolution over images or volumes.");
        const double all = context.operators_ns();
        if (all > 0 && ns < 0.2 * all)
            return Match::no("Convolutions take only " + numberText(100 * ns / all) + " % of the operators' time.");
        const int input = imageInput(context, rank);
        if (input < 0)
            return Match::no("No input of forward is an image or a volume.");
        Match m;
        m.applies = true;
        // Behind one convolution or two, generated kernels and norms change the format back, which eats the gain.
        m.gain = !context.cuda() ? 1.05 : convolutions >= severalConvolutions && wide_ns >= 0.5 * ns ? 1.2 : 0.95;
        m.finding = "Convolutions take " + base::timeText(ns) +
                    (all > 0 ? ", " + numberText(100 * ns / all) + " % of the operators' time" : "") +
                    ", on tensors with the channels outermost.";
        m.design = "Kernels that use matrix units read channels innermost; with inputs and weights kept so, no "
                   "conversion runs around each layer. Values and shapes are the same.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext& context) const override
    {
        std::size_t rank = 4;
        for (const GraphNode& node : context.prompt.graph.nodes)
            if (node.op == "aten.convolution.default")
                rank = std::max(
                    rank, context.prompt.graph.values[static_cast<std::size_t>(Graph::tensor(node.args[1]).value_or(0))]
                              .shape.size());
        const std::string format = rank == 5 ? "torch.channels_last_3d" : "torch.channels_last";
        const std::string name = context.graph.value(imageInput(context, rank)).name;
        // Not Module.to, which refuses a module whose parameters have four dimensions here and five there.
        source.initialise.push_back(
            "if USE_CHANNELS_LAST:\n            for parameter in self.parameters():\n"
            "                if parameter.dim() == " +
            std::to_string(rank) +
            ":\n                    parameter.data = parameter.data.contiguous(memory_format=" + format + ")");
        source.convert.push_back("if USE_CHANNELS_LAST:\n        " + name + " = " + name +
                                 ".contiguous(memory_format=" + format + ")");
    }

private:
    static int imageInput(const TechniqueContext& context, std::size_t rank)
    {
        for (const int id : context.prompt.graph.inputs) {
            if (context.graph.shape(id).size() == rank && context.graph.value(id).name.find('[') == std::string::npos)
                return id;
        }
        return -1;
    }
};

class CompiledGraph : public Technique {
public:
    std::string id() const override { return "compiled_graph"; }
    std::string title() const override { return "Compiled graph"; }
    std::string comment() const override { return "let torch.compile generate the code of the whole computation"; }

    Match match(const TechniqueContext& context) const override
    {
        if (!context.cuda() && context.prompt.compiler.empty())
            return Match::no("There is no C++ compiler on this machine, which torch.compile needs for a CPU.");
        if (context.prompt.graph.truncated)
            return Match::no("More than " + std::to_string(context.prompt.graph.nodes.size()) +
                             " operators would take minutes to compile.");
        if (!context.plainParameters())
            return Match::no("Forward takes arguments by name alone, or any number of them.");
        // Its guards take longer than the launches of such a call: 0.17 to 1.05 in 60 tasks (H100, H200).
        const double call_ns = context.prompt.graph.total_ns;
        if (context.cuda() && call_ns > 0 && call_ns < shortCall_ns)
            return Match::no("A call takes " + base::timeText(call_ns) +
                             ": the checks of torch.compile in each call take longer than what they save.");
        const int launches = context.launches();
        const bool only = std::all_of(
            context.prompt.graph.nodes.begin(), context.prompt.graph.nodes.end(), [](const GraphNode& n) {
                const std::string name = shortName(n.op);
                return isView(n.op) || name == "mm" || name == "addmm" || name == "bmm" ||
                       name.find("convolution") != std::string::npos || name.find("_rnn") != std::string::npos;
            });
        if (only)
            return Match::no(launches == 1
                                 ? "The operator is a library call, which torch.compile calls as it is."
                                 : "All " + std::to_string(launches) +
                                       " operators are library calls, which torch.compile calls as they are.");
        Match m;
        m.applies = true;
        // Its guards take as long as ten launches, and compiling it takes longer than judging anything else.
        m.gain = launches > 3 && context.prompt.graph.total_ns > compiledPaysFrom_ns ? 1.15 : 0.95;
        m.finding = launches == 1
                      ? "One operator reads and writes memory."
                      : std::to_string(launches) + " operators run one after another, each reading and writing memory.";
        m.design = "torch.compile traces the computation, fuses neighbours into loops and compiles them for this "
                   "device; its guards cost some microseconds in each call.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext&) const override { source.compileArguments = "dynamic=False"; }
};

class CudaGraph : public Technique {
public:
    std::string id() const override { return "cuda_graph"; }
    std::string title() const override { return "CUDA graph"; }
    std::string comment() const override { return "capture the launches of a call once and replay them with one"; }

    Match match(const TechniqueContext& context) const override
    {
        const auto& graph = context.prompt.graph;
        if (!context.cuda())
            return Match::no("CUDA graphs need a GPU.");
        if (graph.randomised)
            return Match::no("The module draws random numbers, which a replayed graph would draw in another order.");
        if (sendsNumbers(context))
            return Match::no("Forward copies numbers to the device in each call, which cannot be captured.");
        if (!context.plainParameters() || context.module.find("Model")->method("forward")->parameters.empty())
            return Match::no("Forward takes arguments by name alone, or any number of them.");
        if (graph.outputKind != "tensor" && graph.outputKind != "tuple" && graph.outputKind != "list")
            return Match::no("The result is not made of tensors alone.");
        // An operator's time has its launch in it, so what the host takes is never less than a launch of one operator,
        // and nobody knows it of a recurrence, which is thousands of launches.
        constexpr double launch_ns = 10e3, longCall_ns = 500e3;
        const double gap = std::max(launch_ns, graph.total_ns - context.operators_ns());
        if (graph.total_ns > longCall_ns && gap < 0.02 * graph.total_ns && !hasRecurrence(context))
            return Match::no("The gaps between launches are only " + base::timeText(gap) + " of " +
                             base::timeText(graph.total_ns) + ".");
        Match m;
        m.applies = true;
        m.gain = graph.total_ns > 0 ? graph.total_ns / std::max(graph.total_ns - gap, graph.total_ns / 5) : 1.5;
        m.finding = context.operatorsText() + ", but a call takes " + base::timeText(graph.total_ns) + ": " +
                    base::timeText(gap) + " are gaps in which launches are prepared.";
        m.design = "The launches are captured once for each address of the inputs and replayed with one launch. Inputs "
                   "and parameters are read in place, so changed weights count. Results are handed over in place while "
                   "nobody holds earlier ones; where that is not so, another graph is used, or inputs and results are "
                   "copied.";
        return m;
    }

    void wrap(Source& source, const TechniqueContext& context) const override
    {
        source.graphRunner = true;
        for (const std::string& name : hostConstants(context)) {
            const std::string path = attributePath(name), tensor = firstTensor(context);
            Source::once(source.convert, "if USE_CUDA_GRAPH and " + path + ".device != " + tensor +
                                             ".device:\n        " + path + " = " + path + ".to(" + tensor + ".device)");
        }
    }
};

} // namespace

bool mayKeepChannelsLast(const TechniqueContext& context)
{
    const auto& nodes = context.prompt.graph.nodes;
    return context.cuda() && std::count_if(nodes.begin(), nodes.end(), [](const GraphNode& node) {
                                 return node.op == "aten.convolution.default";
                             }) >= severalConvolutions;
}

std::unique_ptr<Technique> makeDeviceConstants()
{
    return std::make_unique<DeviceConstants>();
}
std::unique_ptr<Technique> makeChannelsLast()
{
    return std::make_unique<ChannelsLast>();
}
std::unique_ptr<Technique> makeCompiledGraph()
{
    return std::make_unique<CompiledGraph>();
}
std::unique_ptr<Technique> makeCudaGraph()
{
    return std::make_unique<CudaGraph>();
}

} // namespace cudal1::policy
