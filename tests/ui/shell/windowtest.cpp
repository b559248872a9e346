// SPDX-License-Identifier: GPL-3.0-or-later
// Settings, folder and window of a test.
#include "tests/ui/shell/windowtest.h"

#include "app/workbench/pages.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>

using namespace cudal1;

void WindowTest::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    // Tests run side by side: each has a file of settings of its own.
    QCoreApplication::setOrganizationName(QStringLiteral("cudal1-test-") + QCoreApplication::applicationName());
    ui::Theme::instance().install(*qApp);
}

void WindowTest::init()
{
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void WindowTest::cleanupTestCase()
{
    QSettings().clear();
}

void WindowTest::record(const QByteArray& lines)
{
    samples::write(path("recording.jsonl"), lines);
    qunsetenv("CUDAL1_EVALUATOR");
    ui::Settings::instance().set("evaluator", QStringLiteral(CUDAL1_BINARY_DIR "/tests/replay_evaluator ") +
                                                  path("recording.jsonl"));
}

void WindowTest::showWindow(ui::PolicyFactory policy, QSize size)
{
    m_window = std::make_unique<ui::MainWindow>(std::move(policy));
    workbench::addPages(*m_window);
    if (!size.isEmpty())
        m_window->resize(size);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void WindowTest::openProject(const QString& task, const QString& page, const QString& suite)
{
    QSignalSpy opened(&m_window->project(), &ui::ProjectModel::opened);
    m_window->selectWhenOpen(task, page);
    m_window->openProject(path("p.cudal1"), suite.isEmpty() ? samples::suite(path("suite")) : suite);
    QVERIFY(opened.wait(deadline_ms));
}

void WindowTest::click(const char* button)
{
    auto* one = find<QAbstractButton>(button);
    QVERIFY2(one->isVisible() && one->isEnabled(), button);
    // At its left end: the other end of some opens a menu.
    QTest::mouseClick(one, Qt::LeftButton, {}, QPoint(one->height() / 2, one->height() / 2));
}
