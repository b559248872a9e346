// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1`: finds the verb and lets it run.
#include "app/cli/verbs.h"

#include <QGuiApplication>

#include <algorithm>
#include <memory>

namespace {

/// A PDF is the one thing that needs fonts, and with them what else a graphical program starts with.
bool wantsFonts(int argc, char** argv)
{
    const QList<QByteArray> words(argv + 1, argv + argc);
    return words.contains("report") && std::any_of(words.begin(), words.end(), [](const QByteArray& word) { return word.toLower().endsWith("pdf"); });
}

} // namespace

int main(int argc, char** argv)
{
    std::unique_ptr<QCoreApplication> application;
    if (wantsFonts(argc, argv)) {
        qputenv("QT_QPA_PLATFORM", "offscreen"); // no window is shown
        application = std::make_unique<QGuiApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    QCoreApplication::setApplicationName(QStringLiteral("cudal1"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CUDAL1_VERSION));
    return cudal1::cli::run(QCoreApplication::arguments().mid(1));
}
