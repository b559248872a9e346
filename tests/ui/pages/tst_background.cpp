// SPDX-License-Identifier: GPL-3.0-or-later
// Work beside the window: its result comes to the thread that asked, and none outlives who asked.
#include "ui/kit/background.h"

#include <QApplication>
#include <QTest>
#include <QThread>
#include <QWidget>

#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

using namespace cudal1;
using namespace cudal1::ui;

class TestBackground : public QObject {
    Q_OBJECT
private slots:
    void resultsComeToTheThreadThatAsked()
    {
        QObject context;
        QThread* worker = nullptr;
        QThread* receiver = nullptr;
        inBackground(
            &context,
            [&worker] {
                worker = QThread::currentThread();
                return 42;
            },
            [&](int answer) { receiver = answer == 42 ? QThread::currentThread() : nullptr; });
        QTRY_COMPARE(receiver, QThread::currentThread());
        QVERIFY(worker && worker != receiver);
    }

    void theEndOfWhoAskedWaitsForWhatRuns()
    {
        std::atomic<int> begun = 0, ended = 0;
        bool told = false;
        auto context = std::make_unique<QWidget>(); // as pages are
        const int jobs = 50 * QThread::idealThreadCount();
        for (int i = 0; i < jobs; ++i)
            inBackground(
                context.get(),
                [&] {
                    ++begun;
                    QThread::msleep(20);
                    return ++ended;
                },
                [&told](int) { told = true; });
        while (begun == 0) // without an event loop, which would bring results
            QThread::msleep(1);
        context.reset();
        QCOMPARE(ended.load(), begun.load());
        QVERIFY(ended < jobs); // nobody waits for the others any more
        QCoreApplication::processEvents();
        QVERIFY(!told);
    }

    void onlyTheLastQuestionHasAnAnswer()
    {
        QObject context;
        Asker asker(&context);
        std::vector<int> answers;
        const auto ask = [&](int number) {
            asker.ask([number] { return number; }, [&](int answer) { answers.push_back(answer); });
        };
        QVERIFY(!asker.isWaiting());
        for (int number = 1; number <= 3; ++number)
            ask(number);
        QVERIFY(asker.isWaiting());
        QTRY_VERIFY(!asker.isWaiting());
        QCOMPARE(answers, std::vector<int>{3});
        ask(4);
        asker.forget();
        QVERIFY(!asker.isWaiting());
        ask(5);
        QTRY_COMPARE(answers.back(), 5);
        QCOMPARE(answers.size(), std::size_t(2));
    }

    void anExceptionBecomesTheErrorOfTheAnswer()
    {
        QObject context;
        Asker asker(&context);
        std::vector<base::Error> errors;
        const auto keep = [&errors](const auto& answer) {
            if (!answer)
                errors.push_back(answer.error());
        };
        asker.ask([]() -> base::Result<int> { throw std::runtime_error("no number"); }, keep);
        QTRY_COMPARE(errors.size(), std::size_t(1));
        inBackground(
            &context, []() -> base::Status { throw std::bad_alloc(); }, keep);
        QTRY_COMPARE(errors.size(), std::size_t(2));
        QCOMPARE(errors[0].code, base::ErrorCode::Internal);
        QCOMPARE(errors[0].context, std::string("no number"));
        QVERIFY(!errors[0].message.empty() && !errors[0].hint.empty());
        int answered = 0;
        asker.ask([]() -> base::Result<int> { return 7; },
                  [&answered](const base::Result<int>& answer) { answered = answer ? *answer : 0; });
        QTRY_COMPARE(answered, 7); // who threw is no hindrance for the next
    }

    void aPoolThatIsGivenRunsAllOfIts()
    {
        std::atomic<int> ended = 0;
        {
            QObject context;
            QThreadPool pool(&context);
            pool.setMaxThreadCount(1);
            for (int i = 0; i < 3; ++i)
                inBackground(
                    pool, &context,
                    [&ended] {
                        QThread::msleep(10);
                        return ++ended;
                    },
                    [](int) {});
        }
        QCOMPARE(ended.load(), 3);
    }
};

QTEST_MAIN(TestBackground)
#include "tst_background.moc"
