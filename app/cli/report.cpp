// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 report`: what a project knows as one file, in any format.
#include "core/report/report.h"

#include "app/cli/context.h"
#include "app/cli/namedvariant.h"
#include "app/cli/output.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/pages/pagelayout.h"
#include "core/pages/pdf.h"

#include <QFileInfo>

namespace cudal1::cli {

namespace {

using base::wrong;
using report::ReportScope;

constexpr const char* formats[]{"html", "pdf", "md", "csv", "json"};

/// Told by --format, else by the file's ending, else html.
base::Result<QString> formatOf(const QCommandLineParser& options)
{
    QString format = options.value("format").toLower();
    if (!options.isSet("format")) {
        const QString ending = QFileInfo(options.value("output")).suffix().toLower();
        format = ending.isEmpty() || ending == "htm" ? QStringLiteral("html")
               : ending == "markdown"                ? QStringLiteral("md")
                                                     : ending;
    }
    for (const char* known : formats)
        if (format == QLatin1String(known))
            return format;
    return wrong("There is no report format \"" + format.toStdString() + "\"",
                 "Give --format html, pdf, md, csv or json, or a file with such an ending");
}

base::Status readTask(Context& context, const store::Project& project, const QString& name, ReportScope& scope)
{
    scope.kind = ReportScope::Kind::Task;
    scope.task.value = name.toStdString();
    if (project.task(scope.task))
        return {};
    const auto task = context.task(name);
    if (!task)
        return task.error();
    scope.task = task->id;
    return {};
}

base::Status readScope(Context& context, const store::Project& project, const QCommandLineParser& options,
                       const QStringList& arguments, ReportScope& scope)
{
    if (options.isSet("task"))
        return options.isSet("scope")
                 ? base::Status(wrong("--task and --scope are two ways to say the same", "Give one of them"))
                 : readTask(context, project, options.value("task"), scope);
    const QStringList words = options.value("scope").split(' ', Qt::SkipEmptyParts) + arguments;
    const QString kind = words.value(0, QStringLiteral("project")), which = words.value(1);
    if (kind == "project" && words.size() <= 1)
        return {};
    if (words.size() != 2)
        return wrong("--scope is project, task TASK, run NUMBER, ablation NUMBER or compare VARIANT,VARIANT",
                     "For example --scope task 3/41");
    if (kind == "task")
        return readTask(context, project, which, scope);
    if (kind == "run") {
        bool good = false;
        scope.kind = ReportScope::Kind::Run;
        scope.run.value = which.toLongLong(&good);
        return good && scope.run.value > 0 ? base::Status()
                                           : base::Status(wrong("\"" + which.toStdString() + "\" is no number of a run",
                                                                "`cudal1 report` of the whole project lists its runs"));
    }
    if (kind == "ablation") {
        bool good = false;
        scope.kind = ReportScope::Kind::Ablation;
        scope.ablation.value = which.toLongLong(&good);
        return good && scope.ablation.value > 0
                 ? base::Status()
                 : base::Status(wrong("\"" + which.toStdString() + "\" is no number of an ablation",
                                      "`cudal1 report` of the whole project has them all"));
    }
    if (kind == "compare") {
        scope.kind = ReportScope::Kind::Comparison;
        for (const QString& one : which.split(',', Qt::SkipEmptyParts)) {
            const auto id = variantId(one);
            if (!id)
                return id.error();
            scope.variants.push_back(*id);
        }
        return {};
    }
    if (kind == "project")
        return wrong("A report on the project takes no " + which.toStdString(),
                     "Leave it out, or name --scope task, run, ablation or compare");
    return wrong("There is no scope \"" + kind.toStdString() + "\"",
                 "It is project, task TASK, run NUMBER, ablation NUMBER or compare VARIANT,VARIANT");
}

QByteArray written(const report::Document& document, const QString& format)
{
    if (format == "pdf")
        return pages::pdfOf(pages::layOut(document));
    if (format == "md")
        return report::markdownOf(document).toUtf8();
    if (format == "csv")
        return report::csvOf(document);
    return format == "json" ? report::jsonOf(document) : report::htmlOf(document).toUtf8();
}

} // namespace

int report(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto format = formatOf(options);
    if (!format)
        return context.fail(format.error());
    const QString path = options.isSet("output") ? options.value("output") : QStringLiteral("cudal1-report.") + *format;
    const bool toOutput = path == "-";
    if (toOutput && context.settings().json)
        return context.fail(wrong("--json and -o - both want the standard output", "Give -o a file"));
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    ReportScope scope;
    if (!report::fromString(options.value("template").toStdString(), scope.shape))
        return context.fail(wrong("There is no template \"" + options.value("template").toStdString() + "\"",
                                  "It is summary, full, paper or claims"));
    if (const auto status = readScope(context, **project, options, arguments, scope); !status)
        return context.fail(status.error());
    if (!context.settings().suite.empty()) {
        const auto suite = context.suite();
        if (!suite)
            return context.fail(suite.error());
        for (const tasks::Task& task : suite->tasks)
            scope.texts.insert(task.hash);
    }
    const auto document = report::reportOn(**project, scope);
    if (!document)
        return context.fail(document.error());
    const QByteArray bytes = written(*document, *format);
    if (const auto done = write(path, {bytes.constData(), std::size_t(bytes.size())}, "The report"); !done)
        return context.fail(done.error());
    if (toOutput)
        return Done;
    const std::string where = std::filesystem::absolute(path.toStdString()).string();
    if (context.settings().json)
        context.printJson({{"report", where}, {"bytes", bytes.size()}, {"format", format->toStdString()}});
    context.terminal().print("Report written to " + where);
    return Done;
}

} // namespace cudal1::cli
