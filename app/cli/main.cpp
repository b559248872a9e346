// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1`: finds the verb and lets it run.
#include "app/cli/verbs.h"

#include <QCoreApplication>

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("cudal1"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CUDAL1_VERSION));
    return cudal1::cli::run(application.arguments().mid(1));
}
