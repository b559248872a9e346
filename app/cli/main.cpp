// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1`: finds the verb and lets it run.
#include "app/cli/chart.h"
#include "app/cli/verbs.h"

#include <QGuiApplication>

#include <memory>

int main(int argc, char** argv)
{
    // Text is painted by an application with a screen; servers have none, so it is one in memory.
    const bool paints = cudal1::cli::paintsChart(argc, argv);
    if (paints) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qputenv("QT_LOGGING_RULES", "default.warning=false"); // it would complain about a session that servers do not have
    }
    const std::unique_ptr<QCoreApplication> application(paints ? new QGuiApplication(argc, argv) : new QCoreApplication(argc, argv));
    QCoreApplication::setApplicationName(QStringLiteral("cudal1"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CUDAL1_VERSION));
    return cudal1::cli::run(application->arguments().mid(1));
}
