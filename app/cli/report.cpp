// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 report`: the project as one HTML file.
#include "core/report/report.h"

#include "app/cli/context.h"
#include "app/cli/verbs.h"

#include <QSaveFile>

#include <cstdio>

namespace cudal1::cli {

int report(Context& context, const QCommandLineParser& options, const QStringList&)
{
    const QString path = options.value("output");
    const bool toOutput = path == "-";
    if (toOutput && context.settings().json)
        return context.fail({base::ErrorCode::InvalidArgument, "--json and -o - both want the standard output", {},
                             "Give -o a file"});
    if (!std::filesystem::exists(context.projectPath()))
        return context.fail({base::ErrorCode::NotFound, "There is no project yet", context.projectPath().string(),
                             "`cudal1 optimize TASK` makes one; --project names another"});
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    report::ReportScope scope;
    if (options.isSet("task")) {
        scope.task.value = options.value("task").toStdString();
        if (!(*project)->task(scope.task)) {
            const auto task = context.task(options.value("task"));
            if (!task)
                return context.fail(task.error());
            scope.task = task->id;
        }
    }
    if (!context.settings().suite.empty()) {
        const auto suite = context.suite();
        if (!suite)
            return context.fail(suite.error());
        for (const tasks::Task& task : suite->tasks)
            scope.texts.insert(task.hash);
    }
    const auto html = report::htmlReport(**project, scope);
    if (!html)
        return context.fail(html.error());
    const QByteArray bytes = html->toUtf8();
    if (toOutput) {
        std::fwrite(bytes.constData(), 1, std::size_t(bytes.size()), stdout);
        return std::fflush(stdout) == 0 ? Done : CannotDoIt;
    }
    // Written beside and renamed: a report that was there stays whole when the disk is full.
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return context.fail({base::ErrorCode::Unavailable, "The report could not be written: " + file.errorString().toStdString(),
                             path.toStdString(), "Choose another place with -o"});
    const std::string where = std::filesystem::absolute(path.toStdString()).string();
    if (context.settings().json)
        context.printJson({{"report", where}, {"bytes", bytes.size()}});
    context.terminal().print("Report written to " + where);
    return Done;
}

} // namespace cudal1::cli
