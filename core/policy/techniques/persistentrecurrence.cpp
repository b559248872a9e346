// SPDX-License-Identifier: GPL-3.0-or-later
// Technique persistent_recurrence: all steps of a recurrent layer in one kernel.
#include "core/base/timetext.h"
#include "core/policy/recurrencekernel.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

struct RecurrenceSite {
    GraphNode node;
    Recurrence recurrence;
};

std::optional<RecurrenceSite> findRecurrence(const Graph& graph)
{
    for (const GraphNode& node : graph.nodes())
        if (const auto recurrence = recurrenceOf(graph, node))
            return RecurrenceSite{node, *recurrence};
    return {};
}

class PersistentRecurrence : public Technique {
public:
    std::string id() const override { return "persistent_recurrence"; }
    std::string title() const override { return "Recurrence in one kernel"; }
    std::string comment() const override
    {
        return "all steps of the recurrence in one kernel, which keeps its weights in registers";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.cuda())
            return Match::no("The device is no GPU.");
        if (!context.rewritable(why))
            return Match::no(why);
        const auto site = findRecurrence(context.graph);
        if (!site)
            return Match::no("No LSTM or GRU is so small that its weights fit into registers.");
        const Recurrence& r = site->recurrence;
        const double expected_ns = recurrence_ns(r);
        Match m;
        m.applies = true;
        const double others_ns = std::max(0.0, context.operators_ns() - site->node.time_ns);
        m.gain = site->node.time_ns > 0 ? std::max(1.05, context.operators_ns() / (others_ns + expected_ns)) : 2;
        m.finding = std::string(r.lstm ? "An LSTM" : "A GRU") + " of " + std::to_string(r.layers) +
                    (r.layers == 1 ? " layer" : " layers") + " makes " + std::to_string(r.steps) + " steps on " +
                    std::to_string(r.batch) + (r.batch == 1 ? " sequence" : " sequences") + " in " +
                    base::timeText(site->node.time_ns) + ".";
        m.design = "Steps follow one another, so what counts is how long one takes. ";
        if (r.bothDirections)
            m.design +=
                "For each layer, what comes from below is multiplied for all steps first. Then one kernel makes "
                "its steps, in both directions at the same time. Eight blocks, which write into one another's shared "
                "memory (a cluster), keep the weights in registers, each those of " +
                std::to_string(r.units) + " units, for two sequences.";
        else
            m.design += "In one kernel " + std::to_string(r.grid()) +
                        " blocks keep weights in registers, each those of " + std::to_string(r.units) +
                        " units, and read none twice. All layers work at the same time, each a step behind the one "
                        "below it.";
        m.design += " " + std::to_string(r.stepsInTurn()) + " steps follow one another instead of " +
                    std::to_string(r.steps * r.layers * r.directions()) + ". Products are of float32" +
                    (r.bothDirections ? ", those of what comes from below as TF32 is set." : ".");
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        while (const auto site = findRecurrence(graph)) {
            const nlohmann::json& args = site->node.args;
            std::vector<int> values{*Graph::tensor(args[0])};
            std::string given = "{0}";
            const auto add = [&](const nlohmann::json& argument) {
                const std::string place = "{" + std::to_string(values.size()) + "}";
                values.push_back(*Graph::tensor(argument));
                return place;
            };
            if (site->recurrence.lstm)
                given += ", (" + add(args[1][0]) + ", " + add(args[1][1]) + ")";
            else
                given += ", (" + add(args[1]) + ",)";
            std::string weights;
            for (const nlohmann::json& weight : args[2])
                weights += (weights.empty() ? "" : ", ") + add(weight);
            const std::string code = addRecurrence(source, site->recurrence) + "(" + given + ", (" + weights + "))";
            GraphNode node = graph.pythonNode(code, values, site->node.outputs[0]);
            node.outputs = site->node.outputs;
            node.kwargs["stem"] = "recurrence_";
            graph.replace({site->node.id}, {std::move(node)});
        }
    }
};

} // namespace

std::unique_ptr<Technique> makePersistentRecurrence()
{
    return std::make_unique<PersistentRecurrence>();
}

} // namespace cudal1::policy
