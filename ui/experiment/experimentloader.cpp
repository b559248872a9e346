// SPDX-License-Identifier: GPL-3.0-or-later
// From the project's runs to rows.
#include "ui/experiment/experimentloader.h"

#include "core/models/spending.h"

#include <algorithm>

namespace cudal1::ui {

int ExperimentView::done() const
{
    return int(std::count_if(results.begin(), results.end(), [](const auto& one) { return one.done; }));
}

int ExperimentView::failed() const
{
    return int(std::count_if(results.begin(), results.end(), [](const auto& one) { return !one.trouble.empty(); }));
}

QString ExperimentView::firstTrouble() const
{
    const auto first = std::find_if(results.begin(), results.end(),
                                    [](const auto& one) { return !one.trouble.empty(); });
    return first == results.end() ? QString() : QString::fromStdString(first->task.value + ": " + first->trouble);
}

base::Result<std::shared_ptr<const ExperimentView>> loadExperiment(const QString& projectFile, base::RunId wanted)
{
    const auto project = store::Project::open(projectFile.toStdString());
    if (!project)
        return project.error();
    auto all = experiment::experimentsOf(**project);
    if (!all)
        return all.error();
    auto view = std::make_shared<ExperimentView>();
    view->all = std::move(*all);
    auto shown = std::find_if(view->all.begin(), view->all.end(),
                              [wanted](const auto& one) { return wanted && one.id == wanted; });
    if (shown == view->all.end())
        shown = std::find_if(view->all.begin(), view->all.end(), [](const auto& one) { return one.running; });
    if (shown == view->all.end())
        shown = view->all.begin();
    if (shown != view->all.end()) {
        view->shown = *shown;
        view->arms = view->shown.plan.arms();
        auto results = experiment::resultsOf(**project, view->shown);
        if (!results)
            return results.error();
        view->results = std::move(*results);
        view->rows = experiment::rowsOf(view->results, view->arms.size(), experiment::Counting::AtLeastOne);
        view->units = experiment::costUnits(view->results);
        view->spent = models::spendingOf(**project, models::spendingKey(view->shown.id)).all;
    }
    return std::shared_ptr<const ExperimentView>(std::move(view));
}

} // namespace cudal1::ui
