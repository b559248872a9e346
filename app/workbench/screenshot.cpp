// SPDX-License-Identifier: GPL-3.0-or-later
// Waits until loading has been over for a moment, since one answer may start the next question.
#include "app/workbench/screenshot.h"

#include "ui/shell/mainwindow.h"

#include <QApplication>
#include <QPixmap>
#include <QTimer>

#include <chrono>
#include <cstdio>

namespace cudal1::workbench {

using namespace std::chrono_literals;

void takeScreenshot(ui::MainWindow& window, const QString& file)
{
    auto* quiet = new QTimer(&window);
    quiet->setSingleShot(true);
    quiet->setInterval(500ms);
    QObject::connect(quiet, &QTimer::timeout, &window, [&window, file] {
        const bool written = window.grab().save(file);
        if (!written)
            std::fprintf(stderr, "%s cannot be written\n", qPrintable(file));
        QApplication::exit(written ? 0 : 1);
    });
    const auto restart = [&window, quiet] { window.project().isLoading() ? quiet->stop() : quiet->start(); };
    QObject::connect(&window.project(), &ui::ProjectModel::loadingChanged, quiet, restart);
    QObject::connect(&window.project(), &ui::ProjectModel::failed, quiet, restart);
    QTimer::singleShot(30s, &window, [] {
        std::fprintf(stderr, "The project was not loaded within 30 s\n");
        QApplication::exit(1);
    });
}

} // namespace cudal1::workbench
