// SPDX-License-Identifier: GPL-3.0-or-later
// Medians of earlier evaluations.
#include "core/ablation/forecast.h"

#include "core/base/statistics.h"
#include "core/base/timetext.h"
#include "core/crew/usualtimes.h"
#include "core/optimize/outcometext.h"

#include <algorithm>

namespace cudal1::ablation {

namespace {

constexpr std::size_t mostRead = 8;

base::Result<std::vector<double>> earlier(const store::Project& project, const base::TaskId& task,
                                          const AblationSettings& settings)
{
    const auto rows = project.variantRows(task);
    if (!rows)
        return rows.error();
    std::vector<const store::EvaluationSummary*> fitting;
    for (const store::VariantRow& row : *rows)
        if (row.evaluation && row.evaluation->verdict == protocol::Verdict::Correct &&
            row.evaluation->deviceModel == settings.deviceModel && row.evaluation->preset == settings.preset)
            fitting.push_back(&*row.evaluation);
    std::sort(fitting.begin(), fitting.end(), [](const auto* a, const auto* b) { return a->id > b->id; });
    std::vector<double> seconds;
    for (const store::EvaluationSummary* one : fitting) {
        if (seconds.size() >= mostRead)
            break;
        const auto evaluation = project.evaluation(one->id);
        if (!evaluation)
            return evaluation.error();
        if (evaluation->seconds.total > 0)
            seconds.push_back(evaluation->seconds.total);
    }
    return seconds;
}

} // namespace

std::string Forecast::text() const
{
    if (waiting == 0)
        return "everything is judged";
    std::string out = std::to_string(waiting) + " to judge";
    if (from == 0)
        return out + ", usually about " + base::durationText(seconds());
    return out + ", about " + base::durationText(seconds()) + " (median of " + std::to_string(from) +
           (from == 1 ? " evaluation" : " evaluations") + (ofTask ? " of this task)" : " of other tasks)");
}

base::Result<Forecast> forecast(const store::Project& project, const AblationPlan& plan,
                                const AblationSettings& settings, const std::vector<CombinationRow>& rows, bool again)
{
    Forecast out;
    std::vector<double> seconds;
    for (const CombinationRow& row : rows) {
        out.waiting += again || !row.found;
        if (row.correct() && row.found->seconds > 0) // a failure ends early
            seconds.push_back(row.found->seconds);
    }
    out.ofTask = true;
    for (const base::TaskId& task : {plan.task.id, base::TaskId()}) {
        if (!seconds.empty())
            break;
        out.ofTask = !task.empty();
        auto found = earlier(project, task, settings);
        if (!found)
            return found.error();
        seconds = std::move(*found);
    }
    out.from = static_cast<int>(seconds.size());
    out.each_s = seconds.empty() ? crew::usualJudging_s(settings.preset) : base::median(seconds);
    return out;
}

} // namespace cudal1::ablation
