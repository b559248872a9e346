// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the tests that drive the whole window: settings of their own, a temporary folder, a recorded evaluator.
#pragma once

#include "tests/ui/shell/flowsamples.h"
#include "ui/shell/mainwindow.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

/// Each test function begins with fresh settings and an empty folder, and ends without a window.
class WindowTest : public QObject {
    Q_OBJECT

protected:
    static constexpr int deadline_ms = 30'000;

    /// For windows in which nothing is proposed.
    class NoPolicy : public cudal1::policy::InstantPolicy {
    public:
        std::string name() const override { return "none"; }
        cudal1::policy::Reply propose(const cudal1::policy::Prompt&) override { return {}; }
    };

    QString path(const QString& name) const { return m_folder->filePath(name); }
    /// What the evaluator of the next window answers: lines of tests/farm/replay.
    void record(const QByteArray& lines);
    /// Makes and shows the window; it has no project yet. `size` is the standard one where it is empty.
    template<class P = NoPolicy> void makeWindow(QSize size = {})
    {
        showWindow([] { return std::make_unique<P>(); }, size);
    }
    /// Opens p.cudal1 of the folder with the suite of flowsamples.h, or another one, at a task and page.
    void openProject(const QString& task = {}, const QString& page = {}, const QString& suite = {});
    template<class T> T* find(const char* name) const
    {
        T* found = m_window->findChild<T*>(QLatin1String(name));
        return found ? found : (qFatal("there is no %s", name), nullptr);
    }
    void click(const char* button);
    /// Of the task that most tests use, by default; null when there is none.
    const cudal1::ui::Job* job(const char* task = "1/1") const { return m_window->jobs().jobOf({task}); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<cudal1::ui::MainWindow> m_window;

protected slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }
    void cleanupTestCase();

private:
    void showWindow(cudal1::ui::PolicyFactory policy, QSize size);
};
