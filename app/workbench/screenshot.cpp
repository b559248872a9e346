// SPDX-License-Identifier: GPL-3.0-or-later
// Waits until loading has been over for a moment, since one answer may start the next question.
#include "app/workbench/screenshot.h"

#include "ui/shell/mainwindow.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>
#include <QTimer>

#include <chrono>
#include <cstdio>

namespace cudal1::workbench {

using namespace std::chrono_literals;

namespace {

/// The window with the dialogs that stand over it; grab() alone leaves other top-level widgets out.
QPixmap picture(ui::MainWindow& window)
{
    QPixmap pixmap = window.grab();
    QPainter painter(&pixmap);
    for (QWidget* other : QApplication::topLevelWidgets())
        if (other != &window && other->isVisible() && other->parentWidget())
            painter.drawPixmap((window.width() - other->width()) / 2, (window.height() - other->height()) / 2,
                               other->grab());
    return pixmap;
}

} // namespace

void takeScreenshot(ui::MainWindow& window, const QString& file, int delay_ms)
{
    auto* quiet = new QTimer(&window);
    quiet->setSingleShot(true);
    quiet->setInterval(500ms + std::chrono::milliseconds(delay_ms));
    QObject::connect(quiet, &QTimer::timeout, &window, [&window, file] {
        const bool written = picture(window).save(file);
        if (!written)
            std::fprintf(stderr, "%s cannot be written\n", qPrintable(file));
        QApplication::exit(written ? 0 : 1);
    });
    // With a delay the picture is of something that goes on, which may never be quiet.
    const auto restart = [&window, quiet, delay_ms] {
        if (delay_ms > 0 && quiet->isActive())
            return;
        window.project().isLoading() ? quiet->stop() : quiet->start();
    };
    QObject::connect(&window.project(), &ui::ProjectModel::loadingChanged, quiet, restart);
    QObject::connect(&window.project(), &ui::ProjectModel::failed, quiet, restart);
    QTimer::singleShot(30s, &window, [] {
        std::fprintf(stderr, "The project was not loaded within 30 s\n");
        QApplication::exit(1);
    });
}

} // namespace cudal1::workbench
