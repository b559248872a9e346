// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 claims`: what imported publications claim, by device and level, beside what was found here.
#include "app/cli/claimstable.h"
#include "app/cli/context.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/charts/chartof.h"

namespace cudal1::cli {

int claims(Context& context, const QCommandLineParser& options, const QStringList&)
{
    charts::Choices choices;
    if (!rejudge::fromString(options.value("failures").toStdString(), choices.failures))
        return context.fail(
            {base::ErrorCode::InvalidArgument,
             "--failures is one, zero or left-out, not \"" + options.value("failures").toStdString() + "\"",
             {},
             {}});
    choices.deviceModel = options.value("on").toStdString();
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto found = rejudge::publishedClaims(**project, choices.deviceModel, choices.failures);
    if (!found)
        return context.fail(found.error());
    if (found->levels.empty())
        return context.fail({base::ErrorCode::NotFound, "The project has no published claims",
                             context.projectPath().string(), "`cudal1 import cuda-l1 FILE` takes some in"});
    if (options.isSet("csv")) {
        const auto chart = charts::chartOf(**project, charts::ChartKind::Claims, choices);
        if (!chart)
            return context.fail(chart.error());
        const QByteArray table = charts::csvOf(chart->table).toUtf8();
        if (const auto written = write(options.value("csv"), {table.constData(), std::size_t(table.size())},
                                       "The table", "Choose another place with --csv");
            !written)
            return context.fail(written.error());
    }
    if (context.settings().json)
        context.printJson(toJson(*found));
    context.terminal().print(claimsText(context.terminal(), *found));
    return Done;
}

} // namespace cudal1::cli
