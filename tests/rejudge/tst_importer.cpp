// SPDX-License-Identifier: GPL-3.0-or-later
// Under which task a published row is filed, and that versions of a dataset are never mixed.
#include "core/rejudge/importer.h"

#include "core/base/sha256.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;

namespace {

tasks::PublishedItem item(const std::string& key, int number, const std::string& reference,
                          const std::string& candidate)
{
    tasks::PublishedItem out;
    out.key = key;
    out.level = 1;
    out.number = number;
    out.reference = reference;
    tasks::takeCandidate(out, candidate);
    out.claimedSpeedup = 2;
    return out;
}

const char* const code = "class ModelNew:\n    pass\n";

} // namespace

class TestImporter : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    tasks::Suite m_suite;

    rejudge::ImportReport take(const tasks::Publication& publication, bool ownTasks = false)
    {
        const auto report = rejudge::importPublication(*m_project, m_suite, publication, ownTasks);
        if (!report)
            qFatal("%s", report.error().text().c_str());
        return *report;
    }

private slots:
    void init()
    {
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        tasks::Task task;
        task.id = {"1/1"};
        task.level = task.number = 1;
        task.name = "Square";
        task.suite = "suite";
        task.source = "n = 2048  # ours\nclass Model: pass\n";
        task.hash = base::sha256Hex(task.source);
        m_suite.tasks = {task};
    }

    void tasksAreChosenBySizes()
    {
        const std::string other = "size = 4096\nclass Model: pass\n";
        tasks::Publication publication{"cuda-l1: f",
                                       {item("1/1", 1, "rows = 2048\nclass Model: pass\n", code),
                                        item("1/1#2", 1, other, code), item("1/2", 2, other, code)},
                                       {}};
        const auto report = take(publication);
        QCOMPARE(report.rows, 3);
        QCOMPARE(report.suiteTasks, 1);
        QCOMPARE(report.ownTasks, 2);
        const std::string mark = "@" + base::sha256Hex(other).substr(0, 8);
        const auto claims = *m_project->claims();
        QCOMPARE(claims[0].task.value, std::string("1/1"));
        QCOMPARE(claims[0].referenceHash, base::sha256Hex("rows = 2048\nclass Model: pass\n"));
        QCOMPARE(claims[1].task.value, "1/1" + mark);
        QCOMPARE(claims[2].task.value, "1/2" + mark);
        QCOMPARE(m_project->task({"1/1"})->source, m_suite.tasks[0].source);
        QCOMPARE(m_project->task(claims[1].task)->source, other);
        QCOMPARE(m_project->task(claims[1].task)->name, std::string("Square"));
        QCOMPARE(m_project->task(claims[1].task)->level, 1);
        // One candidate for two tasks is two variants, each for the text that it was filed under.
        const auto variants = m_project->variantRows();
        QCOMPARE(variants->size(), std::size_t(3));
        for (const auto& row : *variants)
            QVERIFY(!row.stale);
        QCOMPARE(m_project->variant(claims[0].variant)->origin, std::string("cuda-l1: f"));
    }

    void ownTasksOnDemand()
    {
        const auto report = take({"s", {item("1/1", 1, m_suite.tasks[0].source, code)}, {}}, true);
        QCOMPARE(report.ownTasks, 1);
        QVERIFY(m_project->claims()->at(0).task.value.starts_with("1/1@"));
    }

    void theProjectsTextOfATaskStays()
    {
        QVERIFY(m_project->putTask({{"1/1"}, "Square", "suite", 1, "n = 4096\nclass Model: pass\n", "older"}).ok());
        take(
            {"s",
             {item("a", 1, "m = 4096\nclass Model: pass\n", code), item("b", 1, "m = 2048\nclass Model: pass\n", code)},
             {}});
        const auto claims = *m_project->claims();
        QCOMPARE(claims[0].task.value, std::string("1/1"));
        QVERIFY(claims[1].task.value.starts_with("1/1@"));
        QCOMPARE(m_project->variant(claims[0].variant)->taskHash, std::string("older"));
    }

    void everyRowIsAccountedFor()
    {
        tasks::Publication publication{"s",
                                       {item("1/1", 1, "", code), item("1/1", 1, "", code),
                                        item("1/1#2", 1, "", "None"), item("1/7", 7, "", code),
                                        item("1/1#3", 1, "", "x = (")},
                                       {{"line 9", "the line is no JSON"}}};
        tasks::markRepeats(publication);
        const auto report = take(publication);
        QCOMPARE(report.rows, 5);
        QCOMPARE(report.withCode, 3);
        QCOMPARE(report.noCode, 1);
        QCOMPARE(report.repeated, 1);
        QCOMPARE(report.noTask, 1);
        QCOMPARE(report.problems.size(), std::size_t(1));
        QCOMPARE(report.stored.newVariants, 2);
        QCOMPARE(report.stored.newClaims, 3);
        std::string named;
        for (const auto& one : report.named)
            named += one.key + " " + one.code + "\n";
        QCOMPARE(named, std::string("1/1 repeated\n1/1#2 no_code\n1/7 no_task\n1/1#3 does_not_parse\n"));
        const auto again = take(publication);
        QCOMPARE(again.stored.newVariants + again.stored.newTasks + again.stored.newClaims + again.stored.changedClaims,
                 0);
    }
};

QTEST_GUILESS_MAIN(TestImporter)
#include "tst_importer.moc"
