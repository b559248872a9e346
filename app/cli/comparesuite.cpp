// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 compare-suite`: ours, baselines and published results over all tasks, from what the project has.
#include "app/cli/context.h"
#include "app/cli/output.h"
#include "app/cli/suitetable.h"
#include "app/cli/verbs.h"

#include <algorithm>
#include <set>

namespace cudal1::cli {

namespace {

/// How many tasks of the suite are not among those that count; 0 where none of them is, since another suite is meant.
int missingOf(const tasks::Suite& suite, const report::SuiteComparison& comparison)
{
    std::set<std::string> texts;
    for (const store::TaskRow& row : comparison.tasks)
        texts.insert(row.hash);
    const auto missing = std::count_if(suite.tasks.begin(), suite.tasks.end(), [&](const tasks::Task& task) {
        return task.level > 0 && !texts.contains(task.hash);
    });
    return missing == std::ptrdiff_t(suite.tasks.size()) ? 0 : int(missing);
}

} // namespace

int compareSuite(Context& context, const QCommandLineParser& options, const QStringList&)
{
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    report::SuiteQuestion question{options.value("on").toStdString(), context.settings().precision};
    if (options.isSet("on") && question.deviceModel.empty())
        return context.fail({base::ErrorCode::InvalidArgument,
                             "--on needs the model of a device",
                             {},
                             "For example --on \"NVIDIA H200\""});
    const auto suite = context.suite();
    if (!suite && !context.settings().suite.empty())
        return context.fail(suite.error());
    std::set<std::string> texts; // of the suite that is named
    if (!context.settings().suite.empty()) {
        for (const tasks::Task& task : suite->tasks)
            texts.insert(task.hash);
        question.preferred = [&texts](const store::TaskRow& row) { return texts.contains(row.hash); };
    }
    const auto comparison = report::compareSuite(**project, question);
    if (!comparison)
        return context.fail(comparison.error());
    if (options.isSet("csv"))
        if (const auto written = write(options.value("csv"), csvOf(*comparison), "The table",
                                       "Choose another place with --csv");
            !written)
            return context.fail(written.error());
    if (context.settings().json)
        context.printJson(toJson(*comparison));
    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, comparison->deviceModel) + ", precision " +
                   std::string(protocol::toString(comparison->precision)) + "\n");
    terminal.print(suiteText(terminal, *comparison, suite ? missingOf(*suite, *comparison) : 0));
    if (const std::string losses = lossesText(terminal, *comparison); !losses.empty())
        terminal.print("\n" + losses);
    return Done;
}

} // namespace cudal1::cli
