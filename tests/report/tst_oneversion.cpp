// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers over tasks of two versions of a dataset: one version counts, the rest is counted as left out.
#include "core/charts/oneversion.h"
#include "core/charts/projectsummary.h"
#include "core/report/report.h"
#include "tests/report/sampleproject.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using store::TaskRow;

namespace {

base::Result<QString> htmlReport(const store::Project& project, const report::ReportScope& scope = {})
{
    const auto document = report::reportOn(project, scope);
    return document ? base::Result<QString>(report::htmlOf(*document)) : document.error();
}

TaskRow row(const char* id, const char* suite, double speedup)
{
    TaskRow out;
    out.id = {id};
    out.level = *id == '/' ? 0 : *id - '0';
    out.suite = suite;
    out.state = speedup > 1 ? TaskRow::State::Improved
              : speedup > 0 ? TaskRow::State::NoGain
                            : TaskRow::State::NotTried;
    if (speedup > 0) {
        out.best = {speedup, speedup * 0.99, speedup * 1.01};
        out.bestVariant = {1};
    }
    return out;
}

} // namespace

class TestOneVersion : public QObject {
    Q_OBJECT

private slots:
    void theVersionWithMostTriedTasksCounts()
    {
        const std::vector<TaskRow> rows{row("1/1", "v0", 2),  row("1/2", "v0", 4),  row("1/1@ab", "new", 64),
                                        row("1/3", "new", 0), row("1/4", "new", 0), row("/a.py", "", 8)};
        const auto version = charts::oneVersion(rows);
        QCOMPARE(version.suite, std::string("v0"));
        QVERIFY((version.counts == std::vector<bool>{true, true, false, false, false, true}));
        QVERIFY((version.leftOut == std::map<std::string, int>{{"new", 1}})); // untried ones are in no number anyway
        QCOMPARE(version.sentence(),
                 std::string("Only tasks of v0 count here. 1 task of another version is left out: 1 of new."));
    }

    void thePreferredVersionCountsOnceItWasTried()
    {
        std::vector<TaskRow> rows{row("1/1", "v0", 2), row("1/2", "v0", 4), row("1/1@ab", "new", 64),
                                  row("1/3", "new", 0)};
        const auto isNew = [](const TaskRow& one) { return one.suite == "new"; };
        const auto version = charts::oneVersion(rows, isNew);
        QCOMPARE(version.suite, std::string("new"));
        QVERIFY((version.counts == std::vector<bool>{false, false, true, true}));
        QCOMPARE(version.sentence(),
                 std::string("Only tasks of new count here. 2 tasks of other versions are left out: 2 of v0."));
        rows[2] = row("1/1@ab", "new", 0);
        QCOMPARE(charts::oneVersion(rows, isNew).suite, std::string("v0"));
    }

    void nothingToSayOfOneVersion()
    {
        std::vector<TaskRow> rows{row("1/1", "v0", 2), row("/a.py", "", 8)};
        QCOMPARE(charts::oneVersion(rows).sentence(), std::string());
        rows[0].otherTexts = 3;
        QCOMPARE(charts::oneVersion(rows).sentence(),
                 std::string("3 results for another text of these tasks are left out."));
        QCOMPARE(charts::oneVersion({}).suite, std::string());
        rows = {row("1/1", "v0", 0), row("1/2", "v1", 0)}; // nothing was tried: nothing can mix
        QVERIFY((charts::oneVersion(rows).counts == std::vector<bool>{true, true}));
    }

    void theReportLeavesThemOutAndSaysSo()
    {
        QTemporaryDir folder;
        const auto project = report::samples::smallProject(folder.filePath("p.cudal1").toStdString());
        const auto plain = htmlReport(*project);
        QVERIFY(plain.ok());
        QVERIFY(!plain->contains("id=\"left-out\""));

        store::TaskRecord task = store::samples::task("3/41@fedcba98", "fedcba98");
        task.level = 3;
        task.suite = "KernelBench@0123456789ab";
        QVERIFY(project->putTask(task).ok());
        store::VariantRecord variant = store::samples::variant("class ModelNew: # larger", "3/41@fedcba98");
        variant.taskHash = task.hash;
        const auto id = project->addVariant(variant);
        QVERIFY(id.ok() && project->addEvaluation(*id, report::samples::detail::timed(100, 100, 0.01)).ok());
        const auto mixed = htmlReport(*project);
        QVERIFY(mixed.ok());
        QVERIFY(mixed->contains("1 task of another version is left out: 1 of KernelBench@0123456789ab."));
        QVERIFY(!mixed->contains("100×")); // in no number, no chart, no table
        const auto numbers = [](const QString& html) {
            return html.section("id=\"numbers\"", 1).section("</section>", 0, 0);
        };
        QCOMPARE(numbers(*mixed), numbers(*plain));
        QVERIFY(!numbers(*plain).isEmpty());

        report::ReportScope scope;
        scope.texts = {task.hash};
        const auto other = htmlReport(*project, scope);
        QVERIFY(other->contains("100×") && other->contains("5 tasks of other versions are left out"));
        scope = report::ReportScope::ofTask(task.id);
        QVERIFY(htmlReport(*project, scope)->contains("100×"));
    }
};

QTEST_GUILESS_MAIN(TestOneVersion)
#include "tst_oneversion.moc"
