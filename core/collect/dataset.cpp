// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a collection from the project.
#include "core/collect/dataset.h"

#include "core/collect/shingles.h"
#include "core/language/promptbuilder.h"
#include "core/language/replyparser.h"
#include "core/optimize/samplefacts.h"
#include "core/optimize/taskprompt.h"
#include "core/policy/chattext.h"
#include "core/policy/prompttext.h"

#include <algorithm>
#include <set>

namespace cudal1::collect {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

class DatasetReader {
public:
    DatasetReader(const store::Project& project, const CollectOptions& options, const AskedOn& asked, Dataset& out)
        : m_project(project), m_options(options), m_asked(asked), m_out(out)
    {
    }

    base::Status addCell(const CollectCell& cell)
    {
        CollectYield& yield = yieldOf(cell);
        ++yield.tasks;
        if (!cell.run)
            return {};
        const auto facts = optimize::sampleFacts(m_project, cell.run);
        if (!facts)
            return facts.error();
        std::set<base::VariantId> seen;
        for (const optimize::SampleFacts& one : *facts) {
            yield.trials += !one.usable() || one.evaluation.has_value();
            yield.unusable += !one.usable();
            yield.exploits += one.evaluation && one.evaluation->verdict == protocol::Verdict::Exploit;
            if (!one.correct() || !seen.insert(one.sample.variant).second)
                continue;
            ++yield.correct;
            if (one.evaluation->labels.find("degenerate_task ") != std::string::npos) {
                ++yield.degenerate;
                continue;
            }
            auto example = exampleOf(cell, one);
            if (!example)
                return example.error();
            const int longest = m_options.run.longest;
            if (longest > 0 && example->source.size() > std::size_t(longest)) {
                ++yield.tooLong;
                continue;
            }
            m_found.emplace_back(std::move(*example), &yield);
        }
        yield.tasksWithSuccess += !seen.empty();
        return {};
    }

    /// Keeps what was found for one task, less what is like a faster one.
    void taskIsOver()
    {
        std::stable_sort(m_found.begin(), m_found.end(), [](const auto& a, const auto& b) {
            return a.first.evaluation.wall.estimate > b.first.evaluation.wall.estimate;
        });
        std::vector<std::vector<std::uint64_t>> kept;
        for (auto& [example, yield] : m_found) {
            auto own = shinglesOf(example.source);
            const bool known = std::any_of(kept.begin(), kept.end(),
                                           [&](const auto& other) { return similarity(own, other) >= nearDuplicate; });
            (known ? yield->nearDuplicates : yield->kept) += 1;
            if (known)
                continue;
            kept.push_back(std::move(own));
            m_out.examples.push_back(std::move(example));
        }
        m_found.clear();
    }

    void finish()
    {
        for (auto& [place, yield] : m_yields)
            m_out.yields.push_back(yield);
    }

private:
    CollectYield& yieldOf(const CollectCell& cell)
    {
        CollectYield& out = m_yields[{cell.policy, cell.task.level}];
        out.policy = cell.policy;
        out.level = cell.task.level;
        return out;
    }

    base::Result<TrainingExample> exampleOf(const CollectCell& cell, const optimize::SampleFacts& facts) const
    {
        const auto sample = m_project.sample(facts.sample.id);
        if (!sample)
            return sample.error();
        const auto variant = m_project.variant(facts.sample.variant);
        if (!variant)
            return variant.error();
        const auto reply = optimize::replyOf(m_project, *sample);
        if (!reply)
            return reply.error();
        TrainingExample out;
        out.task = cell.task;
        out.policy = sample->policy;
        out.policyVersion = sample->policyVersion;
        out.sample = sample->id;
        out.variant = variant->id;
        out.reply = language::withoutThinking(*reply);
        out.source = variant->source;
        out.evaluation = *facts.evaluation;
        out.reward = facts.reward();
        if (auto messages = policy::messagesOf(sample->prompt))
            out.prompt = std::move(*messages);
        else
            out.prompt = questionFor(cell);
        return out;
    }

    /// What a model is asked on the device of the collection.
    std::vector<policy::ChatMessage> questionFor(const CollectCell& cell) const
    {
        optimize::SearchOptions options = m_options.run;
        options.task = cell.task;
        options.device = m_asked.device.name;
        const policy::Prompt prompt = optimize::taskPrompt(options, m_asked.machine, m_asked.device, {}, {});
        const language::PromptBuilder builder(oneShot(1), m_asked.templates);
        const auto questions = builder.questions(prompt, {});
        return questions.empty() ? std::vector<policy::ChatMessage>() : questions.front().request.messages;
    }

    const store::Project& m_project;
    const CollectOptions& m_options;
    const AskedOn& m_asked;
    Dataset& m_out;
    std::map<std::pair<std::size_t, int>, CollectYield> m_yields;   ///< by policy and level
    std::vector<std::pair<TrainingExample, CollectYield*>> m_found; ///< for the present task
};

} // namespace

base::Result<Dataset> datasetOf(const store::Project& project, const CollectOptions& options,
                                const std::vector<CollectCell>& cells, const AskedOn& asked)
{
    Dataset out;
    DatasetReader reader(project, options, asked, out);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (const auto status = reader.addCell(cells[i]); !status)
            return status.error();
        if (i + 1 == cells.size() || cells[i + 1].task.id != cells[i].task.id)
            reader.taskIsOver();
    }
    reader.finish();
    return out;
}

json toJson(const TrainingExample& example)
{
    json prompt = json::array();
    for (const policy::ChatMessage& message : example.prompt)
        prompt.push_back({{"role", message.role}, {"content", message.content}});
    const base::Interval& wall = example.evaluation.wall;
    return {{"task", example.task.id.value},
            {"name", example.task.name},
            {"level", example.task.level},
            {"suite", example.task.suite},
            {"task_sha256", example.task.hash},
            {"prompt", std::move(prompt)},
            {"reply", example.reply},
            {"source", example.source},
            {"verdict", protocol::toString(example.evaluation.verdict)},
            {"speedup", wall.valid() ? json(wall.estimate) : json(nullptr)},
            {"interval", wall.valid() ? json({wall.low, wall.high}) : json(nullptr)},
            {"reward", example.reward ? json(*example.reward) : json(nullptr)},
            {"labels", example.evaluation.labels},
            {"policy", example.policy},
            {"policy_version", example.policyVersion},
            {"sample", example.sample.value},
            {"variant", example.variant.value},
            {"device", example.evaluation.deviceModel},
            {"precision", protocol::toString(example.evaluation.precision)},
            {"preset", protocol::toString(example.evaluation.preset)}};
}

std::string toJsonLines(const std::vector<TrainingExample>& examples)
{
    std::string out;
    for (const TrainingExample& example : examples)
        out += toJson(example).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    return out;
}

} // namespace cudal1::collect
