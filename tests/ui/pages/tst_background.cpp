// SPDX-License-Identifier: GPL-3.0-or-later
// Work beside the window: its result comes to the thread that asked, and none outlives who asked.
#include "ui/editor/background.h"

#include <QTest>
#include <QThread>

#include <atomic>
#include <memory>

using namespace cudal1::ui;

class TestBackground : public QObject {
    Q_OBJECT
private slots:
    void resultsComeToTheThreadThatAsked()
    {
        QObject context;
        QThread* worker = nullptr;
        QThread* receiver = nullptr;
        inBackground(&context, [&worker] { worker = QThread::currentThread(); return 42; },
                     [&](int answer) { receiver = answer == 42 ? QThread::currentThread() : nullptr; });
        QTRY_COMPARE(receiver, QThread::currentThread());
        QVERIFY(worker && worker != receiver);
    }

    void theEndOfWhoAskedWaits()
    {
        std::atomic<int> done = 0;
        bool told = false;
        auto context = std::make_unique<QObject>();
        for (int i = 0; i < 3; ++i)
            inBackground(context.get(), [&done] { QThread::msleep(50); return ++done; }, [&told](int) { told = true; });
        context.reset();
        QCOMPARE(done.load(), 3);
        QCoreApplication::processEvents();
        QVERIFY(!told);
    }
};

QTEST_GUILESS_MAIN(TestBackground)
#include "tst_background.moc"
