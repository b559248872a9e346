// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences from measured facts.
#include "core/policy/analysis.h"

#include "core/base/bytestext.h"
#include "core/base/timetext.h"

#include <algorithm>
#include <array>
#include <map>

namespace cudal1::policy {

namespace {

double nodeFlop(const protocol::OperatorGraph& graph, const GraphNode& node)
{
    const auto shapeOf = [&](const nlohmann::json& argument) -> Shape {
        const auto id = Graph::tensor(argument);
        return id ? graph.values[static_cast<std::size_t>(*id)].shape : Shape{};
    };
    const auto elements = [](const Shape& shape) {
        double n = 1;
        for (const std::int64_t extent : shape)
            n *= static_cast<double>(extent);
        return n;
    };
    const std::string name = shortName(node.op);
    if (node.outputs.empty() || node.outputs[0] < 0)
        return 0;
    const Shape& out = graph.values[static_cast<std::size_t>(node.outputs[0])].shape;
    if (name == "mm" || name == "bmm" || name == "addmm" || name == "baddbmm") {
        const Shape a = shapeOf(node.args[name[0] == 'a' || name == "baddbmm" ? 1 : 0]);
        return a.empty() ? 0 : 2 * elements(out) * static_cast<double>(a.back());
    }
    if (name == "convolution" && node.args.size() > 8) {
        const Shape weight = shapeOf(node.args[1]), x = shapeOf(node.args[0]);
        if (weight.empty())
            return 0;
        const bool transposed = node.args[6] == true;
        return 2 * elements(transposed ? x : out) * elements(weight) / static_cast<double>(weight[0]);
    }
    return 0;
}

} // namespace

Work workOf(const TechniqueContext& context)
{
    Work work;
    const auto& graph = context.prompt.graph;
    for (const GraphNode& node : graph.nodes)
        work.flop += nodeFlop(graph, node);
    work.bytes = static_cast<double>(graph.parameter_bytes);
    for (const int id : graph.inputs)
        work.bytes += static_cast<double>(context.graph.bytes(id));
    for (const int id : graph.outputs)
        work.bytes += static_cast<double>(context.graph.bytes(id));
    return work;
}

Peak peakOf(const protocol::DeviceInfo& device)
{
    struct Row {
        const char* name;
        Peak peak;
    };
    static constexpr std::array<Row, 10> rows{{{"H200", {4.8e12, 67e12}},
                                               {"H100 PCIe", {2.0e12, 51e12}},
                                               {"H100", {3.35e12, 67e12}},
                                               {"A100", {2.0e12, 19.5e12}},
                                               {"L40S", {864e9, 91.6e12}},
                                               {"L4", {300e9, 30.3e12}},
                                               {"V100", {900e9, 15.7e12}},
                                               {"4090", {1008e9, 82.6e12}},
                                               {"3090", {936e9, 35.6e12}},
                                               {"T4", {320e9, 8.1e12}}}};
    for (const Row& row : rows) {
        if (device.model.find(row.name) != std::string::npos)
            return row.peak;
    }
    return {};
}

std::string performanceAnalysis(const TechniqueContext& context, const Used& used)
{
    const auto& graph = context.prompt.graph;
    const Work work = workOf(context);
    const Peak peak = peakOf(context.prompt.device);
    const double busy = context.operators_ns(), total = graph.total_ns;
    std::string out;
    if (total > 0 && !graph.truncated) {
        out += "One call of the reference takes " + base::timeText(total) + " on " +
               (context.prompt.device.model.empty() ? graph.device : context.prompt.device.model) + "; its " +
               context.operatorsText();
        out += total > 1.1 * busy ? ", so " + numberText(100 * (total - busy) / total) + " % of the call are gaps" +
                                        (context.launches() == 1 ? " around it. " : " between them. ")
                                  : ". ";
    } else if (total > 0) {
        out += "One call of the reference takes " + base::timeText(total) + "; it runs more than " +
               std::to_string(graph.nodes.size()) + " operators, of which only the first were traced. ";
    }
    std::map<std::string, double> times;
    for (const GraphNode& node : graph.nodes)
        times[shortName(node.op)] += node.time_ns;
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [name, ns] : times)
        order.push_back({ns, name});
    std::sort(order.rbegin(), order.rend());
    if (busy > 0) {
        std::string list;
        for (std::size_t i = 0; i < order.size() && i < 3 && order[i].first > 0.02 * busy; ++i)
            list += (list.empty() ? "" : ", ") + order[i].second + " " + numberText(100 * order[i].first / busy) + " %";
        out += "Of the operators' time: " + list + ". ";
    }
    out += "At least " + base::bytesText(work.bytes) + " must move (inputs, parameters, results)";
    if (total > 0)
        out += ", which the reference does at " + base::rateText(work.bytes / total * 1e9) +
               (peak.bytes_per_s > 0 ? " of the device's " + base::rateText(peak.bytes_per_s) : "");
    if (work.flop > 0) {
        out += "; products and convolutions do " + numberText(work.flop / 1e9) + " GFLOP";
        if (total > 0)
            out += " at " + numberText(work.flop / total) + " GFLOP/s" +
                   (peak.flop_per_s > 0 ? " (float32 peak " + numberText(peak.flop_per_s / 1e9) + ")" : "");
    }
    out += ".\n";
    for (const auto& [technique, match] : used)
        out += "\n- " + technique->title() + ": " + match.finding;
    return out + "\n";
}

std::string algorithmDesign(const TechniqueContext&, const Used& used)
{
    std::string out;
    for (const auto& [technique, match] : used)
        out += "- " + technique->title() + " (" + technique->id() + "): " + match.design + "\n";
    return out;
}

std::string codeImplementation(const TechniqueContext& context, const Used& used)
{
    std::string out = "ModelNew keeps the reference's constructor, so that parameters and random draws are the same, "
                      "and its forward as `original`. Switches at the head of the file:\n";
    bool rewrites = false;
    for (const auto& [technique, match] : used) {
        out += "- `" + technique->toggle() + "`: " + technique->commentWith(match) + "\n";
        rewrites = rewrites || technique->rewrites();
    }
    if (rewrites)
        out += "`compute` is forward written operator by operator from the trace, with a branch wherever a switch "
               "changes it; it is made for the traced shapes and leaves other shapes to `original`.";
    else
        out += "The computation itself is unchanged.";
    if (context.cuda() && rewrites && context.launch != LaunchOptions{})
        out += " Generated kernels run with " + std::to_string(context.launch.block) + " threads a block, " +
               std::to_string(context.launch.vector) + " elements at once.";
    return out + "\n";
}

} // namespace cudal1::policy
