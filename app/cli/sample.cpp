// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 sample`: where the sample project is.
#include "core/store/samplecopy.h"

#include "app/cli/context.h"
#include "app/cli/verbs.h"

#include <QCoreApplication>

namespace cudal1::cli {

int sample(Context& context, const QCommandLineParser&, const QStringList&)
{
    const auto path = store::sampleProject(QCoreApplication::applicationDirPath().toStdString(),
                                           store::Project::defaultPath().parent_path());
    if (!path)
        return context.fail(path.error());
    if (context.settings().json)
        context.printJson({{"project", path->string()}});
    else
        context.terminal().print(path->string());
    return Done;
}

} // namespace cudal1::cli
