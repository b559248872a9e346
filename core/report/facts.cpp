// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what a report says.
#include "core/report/facts.h"

#include <algorithm>

namespace cudal1::report {

using base::ErrorCode;

namespace {

std::string deviceText(const protocol::Evaluation& evaluation)
{
    const protocol::DeviceInfo& device = evaluation.device;
    std::string text = device.model.empty() ? device.name : device.model + " (" + device.name + ")";
    if (!device.driver.empty())
        text += ", driver " + device.driver;
    return text;
}

std::string environmentText(const protocol::Environment& environment)
{
    std::string text;
    const auto add = [&](const char* label, const std::string& value) {
        if (!value.empty())
            text += (text.empty() ? "" : " · ") + std::string(label) + value;
    };
    add("", environment.evaluator);
    add("torch ", environment.torch);
    add("CUDA ", environment.cuda);
    add("Python ", environment.python);
    add("", environment.os);
    return text;
}

/// The best variant, which comes first; failing that the newest judged one.
const store::VariantRow* variantToShow(const TaskFacts& task)
{
    const store::VariantRow* judged = nullptr;
    for (const store::VariantRow& variant : task.variants) {
        if (variant.id == task.row.bestVariant)
            return &variant;
        if (!judged && variant.evaluation && !variant.stale)
            judged = &variant;
    }
    return judged;
}

base::Status complete(const store::Project& project, TaskFacts& task, Facts& facts)
{
    auto record = project.task(task.row.id);
    if (!record)
        return record.error();
    task.source = std::move(record->source);
    auto variants = project.variantRows(task.row.id);
    if (!variants)
        return variants.error();
    task.variants = std::move(*variants);
    for (const store::VariantRow& variant : task.variants) {
        if (!variant.evaluation)
            continue;
        const std::int64_t when = variant.evaluation->created_ms;
        facts.firstMeasured_ms = facts.firstMeasured_ms ? std::min(facts.firstMeasured_ms, when) : when;
        facts.lastMeasured_ms = std::max(facts.lastMeasured_ms, when);
        facts.precisions.emplace(protocol::toString(variant.evaluation->precision));
        facts.presets.emplace(protocol::toString(variant.evaluation->preset));
    }

    const store::VariantRow* shown = variantToShow(task);
    if (!shown)
        return {};
    auto variant = project.variant(shown->id);
    if (!variant)
        return variant.error();
    task.shown = std::move(*variant);
    auto evaluation = project.evaluation(shown->evaluation->id);
    if (!evaluation)
        return evaluation.error();
    facts.devices.insert(deviceText(*evaluation));
    if (const std::string text = environmentText(evaluation->environment); !text.empty())
        facts.environments.insert(text);
    task.shownEvaluation = std::move(*evaluation);
    task.shownEvaluation->pairs.clear(); // the largest part, and not shown
    return {};
}

} // namespace

base::Result<Facts> gather(const store::Project& project, const ReportScope& scope)
{
    auto rows = project.taskRows();
    if (!rows)
        return rows.error();
    Facts facts;
    facts.project = project.path().filename().string();
    facts.single = !scope.task.empty();
    if (facts.single) {
        std::erase_if(*rows, [&](const store::TaskRow& row) { return row.id != scope.task; });
        if (rows->empty())
            return base::Error{ErrorCode::NotFound, "The project has no task " + scope.task.value, project.path().string(), {}};
    }
    facts.version = oneVersion(*rows, scope.texts.empty() ? std::function<bool(const store::TaskRow&)>()
                                                          : [&](const store::TaskRow& row) { return scope.texts.contains(row.hash); });
    std::vector<store::TaskRow> counted;
    for (std::size_t at = 0; at < rows->size(); ++at)
        if (facts.version.counts[at])
            counted.push_back(std::move((*rows)[at]));
    *rows = std::move(counted);
    facts.summary = summarise(*rows);
    for (store::TaskRow& row : *rows) {
        if (row.variants == 0 && !facts.single) {
            ++facts.untried;
            continue;
        }
        TaskFacts task;
        task.row = std::move(row);
        if (const auto status = complete(project, task, facts); !status)
            return status.error();
        facts.tasks.push_back(std::move(task));
    }
    return facts;
}

} // namespace cudal1::report
