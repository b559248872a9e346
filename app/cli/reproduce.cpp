// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 reproduce VARIANT`: a variant as one Python file that runs with torch alone.
#include "app/cli/context.h"
#include "app/cli/namedvariant.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/report/reproducer.h"

namespace cudal1::cli {

int reproduce(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto id = variantId(arguments[0]);
    if (!id)
        return context.fail(id.error());
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto program = report::reproducerOf(**project, *id);
    if (!program)
        return context.fail(program.error());
    const QString path = options.isSet("output") ? options.value("output")
                                                 : QStringLiteral("reproduce-%1.py").arg(id->value);
    const bool toOutput = path == "-";
    if (toOutput && context.settings().json)
        return context.fail(
            {base::ErrorCode::InvalidArgument, "--json and -o - both want the standard output", {}, "Give -o a file"});
    if (const auto written = write(path, *program, "The reproducer"); !written)
        return context.fail(written.error());
    if (toOutput)
        return Done;
    const std::string where = std::filesystem::absolute(path.toStdString()).string();
    if (context.settings().json)
        context.printJson({{"reproducer", where}, {"variant", id->value}});
    context.terminal().print("Reproducer written to " + where + "\nRun it with `python " + path.toStdString() +
                             "`; it needs torch and nothing else.");
    return Done;
}

} // namespace cudal1::cli
