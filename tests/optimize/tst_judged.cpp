// SPDX-License-Identifier: GPL-3.0-or-later
// The order of exemplars, and which of the store's evaluations become some.
#include "core/optimize/judged.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using optimize::JudgedList;

namespace {

protocol::Evaluation evaluation(protocol::Verdict verdict, double low = 0, const std::string& model = "A")
{
    protocol::Evaluation out;
    out.verdict = verdict;
    if (low > 0)
        out.speedup.wall.speedup = {low + 0.1, low, low + 0.2};
    if (verdict != protocol::Verdict::Correct)
        out.reasons = {{"code", "because", {}}};
    out.device.model = model;
    return out;
}

store::VariantRecord variant(std::int64_t id, const std::string& source)
{
    store::VariantRecord out;
    out.id.value = id;
    out.task.value = "1/12";
    out.taskHash = "abc";
    out.source = source;
    return out;
}

std::vector<std::string> sources(const JudgedList& list)
{
    std::vector<std::string> out;
    for (const auto& one : list.exemplars())
        out.push_back(one.source);
    return out;
}

} // namespace

class TestJudged : public QObject {
    Q_OBJECT
private slots:
    void bestFirst()
    {
        JudgedList list;
        QVERIFY(!list.best());
        list.add(variant(1, "wrong"), evaluation(protocol::Verdict::Incorrect));
        QVERIFY(!list.best());
        list.add(variant(2, "slow"), evaluation(protocol::Verdict::Correct, 0.8));
        list.add(variant(3, "fast"), evaluation(protocol::Verdict::Correct, 2.0));
        QCOMPARE(sources(list), (std::vector<std::string>{"fast", "slow", "wrong"}));
        QCOMPARE(list.best()->variant.value, 3);
        QCOMPARE(list.exemplars().back().reason, std::string("because"));
        list.add(variant(3, "fast"), evaluation(protocol::Verdict::Crashed)); // judged anew: replaces
        QCOMPARE(sources(list).size(), std::size_t(3));
        QCOMPARE(list.best()->variant.value, 2);
    }

    void bestOfAPolicy()
    {
        JudgedList list;
        auto ours = variant(1, "ours"), slower = variant(2, "slower"), theirs = variant(3, "theirs");
        ours.origin = slower.origin = "technique library";
        theirs.origin = "endpoint: q";
        QVERIFY(!list.bestOf("technique library"));
        list.add(theirs, evaluation(protocol::Verdict::Correct, 3.0));
        list.add(ours, evaluation(protocol::Verdict::Correct, 1.5));
        list.add(slower, evaluation(protocol::Verdict::Correct, 0.5));
        QCOMPARE(list.bestOf("technique library"), std::optional(1.6)); // estimates lie 0.1 above
        QVERIFY(!list.bestOf("technique"));
    }

    void loadsWhatWasJudgedLikeThis()
    {
        QTemporaryDir folder;
        auto project = store::Project::open(folder.filePath("p.cudal1").toStdString());
        QVERIFY(project.ok());
        const store::TaskRecord task{{"1/12"}, "Diagonal", {}, 1, "source", "abc"};
        QVERIFY((*project)->putTask(task).ok());
        const auto put = [&](store::VariantRecord record, const protocol::Evaluation& what) {
            const auto id = (*project)->addVariant(record);
            if (!id || !(*project)->addEvaluation(*id, what))
                qFatal("the store does not work");
        };
        put(variant(0, "fast"), evaluation(protocol::Verdict::Correct, 2));
        put(variant(0, "other device"), evaluation(protocol::Verdict::Correct, 9, "B"));
        auto old = variant(0, "other text of the task");
        old.taskHash = "old";
        put(old, evaluation(protocol::Verdict::Correct, 9));
        put(variant(0, "wrong"), evaluation(protocol::Verdict::Incorrect));
        auto ieee = evaluation(protocol::Verdict::Correct, 9);
        ieee.precision.mode = protocol::Precision::Ieee;
        put(variant(0, "other precision"), ieee);
        QVERIFY((*project)->addVariant(variant(0, "not judged")).ok());

        const auto list = JudgedList::load(**project, task, "A", protocol::Precision::Kernelbench);
        QVERIFY(list.ok());
        QCOMPARE(sources(*list), (std::vector<std::string>{"fast", "wrong"}));
    }
};

QTEST_GUILESS_MAIN(TestJudged)
#include "tst_judged.moc"
