// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs `completion` and `manual`.
#include "app/cli/context.h"
#include "app/cli/help.h"
#include "app/cli/verbs.h"

#include <cstdio>

namespace cudal1::cli {

int completion(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const QString script = completionScript(arguments[0]);
    if (script.isEmpty())
        return context.fail({base::ErrorCode::InvalidArgument, "There is no completion for this shell",
                             arguments[0].toStdString(), "Give bash, zsh or fish"});
    std::fputs(script.toUtf8().constData(), stdout);
    return Done;
}

int manual(Context&, const QCommandLineParser&, const QStringList&)
{
    std::fputs(manualPage().toUtf8().constData(), stdout);
    return Done;
}

} // namespace cudal1::cli
