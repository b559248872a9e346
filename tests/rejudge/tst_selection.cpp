// SPDX-License-Identifier: GPL-3.0-or-later
// Which variants are to be judged again: by origin, level, task, and by what was found with the same settings.
#include "core/rejudge/rejudgeselection.h"

#include "tests/store/imported.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;

class TestSelection : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    std::unique_ptr<store::Project> m_project;
    std::vector<base::VariantId> m_variants;

private slots:
    void initTestCase()
    {
        auto opened = store::Project::open(m_folder.filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
    }

    void selectionKnowsWhatIsJudged()
    {
        m_variants = samples::importVariants(*m_project, 5);
        rejudge::Filter filter;
        const rejudge::RejudgeSettings settings{"cpu", "Replay CPU", protocol::Precision::Kernelbench,
                                                protocol::Preset::Quick};
        QCOMPARE(rejudge::select(*m_project, filter, settings)->size(), std::size_t(5));
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Correct;
        evaluation.preset = settings.preset;
        evaluation.device.model = "Replay CPU";
        evaluation.speedup.wall.speedup = {2, 1.9, 2.1};
        evaluation.labels = {{"crowded", "", ""}};
        QVERIFY(m_project->addEvaluation(m_variants[0], evaluation).ok());
        evaluation.device.model = "another device";
        QVERIFY(m_project->addEvaluation(m_variants[1], evaluation).ok());
        // A variant of the user's own, which was never imported.
        store::VariantRecord own;
        own.task = {"1/1"};
        own.source = "own";
        own.origin = "file: own.py";
        const auto ownId = m_project->addVariant(own);

        auto rows = *rejudge::select(*m_project, filter, settings);
        QCOMPARE(rows.size(), std::size_t(5));
        QVERIFY(rows[0].found && rows[0].found->wall.estimate == 2 && rows[0].found->labels[0] == "crowded");
        QVERIFY(!rows[1].found);
        QVERIFY(rows[0].claimed == 3.0);
        QCOMPARE(rejudge::toJudge(rows, filter, false).size(), std::size_t(4));
        QCOMPARE(rejudge::toJudge(rows, filter, true).size(), std::size_t(5));
        filter.limit = 2;
        QVERIFY((rejudge::toJudge(rows, filter, false) == std::vector{m_variants[1], m_variants[2]}));
        filter = {};
        filter.tasks = {"1/2"};
        QCOMPARE(rejudge::select(*m_project, filter, settings)->size(), std::size_t(2));
        filter = {};
        filter.level = 2;
        QVERIFY(rejudge::select(*m_project, filter, settings)->empty());
        filter = {};
        filter.origin = "own.py";
        rows = *rejudge::select(*m_project, filter, settings);
        QVERIFY(rows.size() == 1 && rows[0].variant == *ownId && !rows[0].claimed);

        // The task's text changes: what was made for the old one is not judged against the new one.
        QVERIFY(m_project->putTask({{"1/1"}, "Task", "suite", 1, "class Model: x = 1", "new hash"}).ok());
        rows = *rejudge::select(*m_project, {}, settings);
        QVERIFY(rows[0].stale && rows[1].stale && !rows[2].stale);
        QCOMPARE(rejudge::toJudge(rows, {}, true).size(), std::size_t(3));
    }
};

QTEST_GUILESS_MAIN(TestSelection)
#include "tst_selection.moc"
