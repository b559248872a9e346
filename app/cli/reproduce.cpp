// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 reproduce VARIANT`: a variant as one Python file that runs with torch alone.
#include "app/cli/context.h"
#include "app/cli/variantfacts.h"
#include "app/cli/verbs.h"
#include "core/report/reproducer.h"

#include <QSaveFile>

#include <cstdio>

namespace cudal1::cli {

int reproduce(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto id = variantId(arguments[0]);
    if (!id)
        return context.fail(id.error());
    if (!std::filesystem::exists(context.projectPath()))
        return context.fail({base::ErrorCode::NotFound, "There is no project yet", context.projectPath().string(),
                             "`cudal1 optimize TASK` makes one; --project names another"});
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto program = report::reproducerOf(**project, *id);
    if (!program)
        return context.fail(program.error());
    const QString path = options.isSet("output") ? options.value("output") : QStringLiteral("reproduce-%1.py").arg(id->value);
    if (path == "-") {
        if (context.settings().json)
            return context.fail({base::ErrorCode::InvalidArgument, "--json and -o - both want the standard output", {}, "Give -o a file"});
        std::fwrite(program->data(), 1, program->size(), stdout);
        return std::fflush(stdout) == 0 ? Done : CannotDoIt;
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(program->data(), qint64(program->size())) != qint64(program->size()) || !file.commit())
        return context.fail({base::ErrorCode::Unavailable, "The file could not be written: " + file.errorString().toStdString(), path.toStdString(),
                             "Choose another place with -o"});
    const std::string where = std::filesystem::absolute(path.toStdString()).string();
    if (context.settings().json)
        context.printJson({{"reproducer", where}, {"variant", id->value}});
    context.terminal().print("Reproducer written to " + where + "\nRun it with `python " + path.toStdString() + "`; it needs torch and nothing else.");
    return Done;
}

} // namespace cudal1::cli
