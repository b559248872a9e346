// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1`: finds the verb and lets it run.
#include "app/cli/verbs.h"

#include <QByteArrayList>
#include <QGuiApplication>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

namespace {

/// A chart as PNG and a report as PDF need fonts, and with them what else a graphical program starts with.
bool paints(const QByteArrayList& words)
{
    return (words.contains("chart") || words.contains("report")) &&
           std::any_of(words.begin(), words.end(), [](const QByteArray& word) {
               return word.toLower().endsWith("png") || word.toLower().endsWith("pdf");
           });
}

} // namespace

int main(int argc, char** argv)
try {
    std::unique_ptr<QCoreApplication> application;
    if (paints(QByteArrayList(argv + 1, argv + argc))) {
        // Servers have no screen, so it is one in memory.
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qputenv("QT_LOGGING_RULES",
                "default.warning=false"); // it would complain about a session that servers do not have
        application = std::make_unique<QGuiApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    QCoreApplication::setApplicationName(QStringLiteral("cudal1"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CUDAL1_VERSION));
    return cudal1::cli::run(application->arguments().mid(1));
} catch (const std::exception& error) {
    std::fprintf(stderr, "cudal1: Something went wrong that the program does not expect: %s\n", error.what());
    return cudal1::cli::CannotDoIt;
}
