// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps tasks that are made to learn from apart from those that are held out to test what was learned.
#pragma once

#include "core/protocol/messages.h"
#include "core/tasks/factsfile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::synthesis {

/// The rule has two parts. *Graph*: the task has the operators and the flow of data of a held-out task, at whatever
/// sizes and with whatever arguments (flowKey()). *Operators*: it runs `length` computing operators one after the other
/// that a held-out task runs one after the other, and no training task does; of a held-out task with fewer of them, all
/// of them, where they are at least `least`. What the training tasks show as well gives nothing away.
class Decontamination {
public:
    static constexpr std::size_t length = 4, least = 3;

    /// Held-out tasks may be added before or after training tasks.
    void addHeldOut(const std::string& task, const protocol::OperatorGraph& graph);
    void addTraining(const std::vector<std::string>& sequence); ///< as computeSequence() gives it
    /// The training tasks among the rows of a facts file, by tasks::splitOf().
    void addTraining(const tasks::FactsFile& facts);

    enum class Evidence { Graph, Operators };
    struct Hit {
        Evidence evidence = Evidence::Graph;
        std::string task; ///< that is held out
        std::string what; ///< "mm, div, sum, mul": the operators that gave it away; empty for Evidence::Graph
    };
    std::optional<Hit> hitOf(const protocol::OperatorGraph& graph) const;

    std::size_t heldOut() const { return m_flows.size(); } ///< different graphs
    std::size_t sequences() const;                         ///< runs of operators that only held-out tasks have
    static std::string rule();                             ///< in one sentence, for a person

private:
    using Run = std::vector<std::string>;

    std::map<std::uint64_t, std::string> m_flows; ///< of held-out tasks, each with one that has it
    std::map<Run, std::string> m_heldOutRuns;
    std::set<Run> m_trainingRuns; ///< of both lengths
};

/// The plain names of computing operators in a row of facts, in order; repetitions are written out.
std::vector<std::string> computeSequence(const nlohmann::json& operators);

} // namespace cudal1::synthesis
