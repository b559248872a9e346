// SPDX-License-Identifier: GPL-3.0-or-later
// Which request an evaluator begins next.
#include "core/judge/supervisor/requestqueue.h"

#include <QTest>

using namespace cudal1::judge;

namespace {

QueuedRequest evaluation(std::uint64_t id, const std::string& task)
{
    return {"evaluate", id, {{"task", task}}};
}

RequestQueue::Test isOf(const std::string& task)
{
    return [task](const QueuedRequest& one) { return one.body.value("task", "") == task; };
}

const RequestQueue::Test always = [](const QueuedRequest&) { return true; };

} // namespace

class TestRequestQueue : public QObject {
    Q_OBJECT

    static std::vector<std::uint64_t> orderOf(RequestQueue& queue, const std::string& loaded)
    {
        std::vector<std::uint64_t> out;
        while (!queue.empty())
            out.push_back(queue.take(queue.next(always, isOf(loaded))).id);
        return out;
    }

private slots:
    void candidatesOfTheLoadedTaskComeFirst()
    {
        RequestQueue queue;
        for (const auto& [id, task] : {std::pair(1, "a"), {2, "b"}, {3, "a"}, {4, "b"}})
            queue.add(evaluation(std::uint64_t(id), task));
        QCOMPARE(orderOf(queue, "b"), (std::vector<std::uint64_t>{2, 4, 1, 3}));
    }
    void withoutALoadedTaskEverythingKeepsItsPlace()
    {
        RequestQueue queue;
        for (std::uint64_t id = 1; id <= 3; ++id)
            queue.add(evaluation(id, "a"));
        QCOMPARE(orderOf(queue, "none"), (std::vector<std::uint64_t>{1, 2, 3}));
    }
    void otherRequestsKeepTheirPlace()
    {
        RequestQueue queue;
        queue.add({"describe", 1, {}});
        queue.add(evaluation(2, "a"));
        QCOMPARE(orderOf(queue, "a"), (std::vector<std::uint64_t>{1, 2}));
    }
    void nobodyIsOvertakenForEver()
    {
        RequestQueue queue;
        queue.add(evaluation(1, "a"));
        int before = 0;
        for (std::uint64_t id = 2;; ++id) {
            queue.add(evaluation(id, "b"));
            if (queue.take(queue.next(always, isOf("b"))).id == 1)
                break;
            QVERIFY(++before <= RequestQueue::mostOvertaken);
        }
        QCOMPARE(before, RequestQueue::mostOvertaken);
    }
    void whatWaitsForACompilerIsLeftOut()
    {
        RequestQueue queue;
        queue.add(evaluation(1, "b"));
        queue.add(evaluation(2, "a"));
        const auto mayBegin = [](const QueuedRequest& one) { return one.id != 1; };
        QCOMPARE(queue.take(queue.next(mayBegin, isOf("b"))).id, std::uint64_t(2));
        QVERIFY(queue.next(mayBegin, isOf("b")) == queue.end());
        QVERIFY(queue.withdraw(1) && !queue.withdraw(1) && queue.empty());
    }
};

QTEST_GUILESS_MAIN(TestRequestQueue)
#include "tst_requestqueue.moc"
