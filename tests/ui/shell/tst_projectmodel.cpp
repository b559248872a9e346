// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, snapshots, following another process, and errors of the project model.
#include "ui/work/projectmodel.h"

#include "tests/ui/shell/flowsamples.h"

#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using ui::ProjectModel;

namespace {
constexpr int deadline_ms = 20'000;
}

class TestProjectModel : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    QString file() const { return m_folder->filePath("p.cudal1"); }

    void open(ProjectModel& model)
    {
        QSignalSpy opened(&model, &ProjectModel::opened);
        model.open(file(), samples::suite(m_folder->filePath("suite")));
        QVERIFY(opened.wait(deadline_ms));
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void tasksOfSuiteAndProjectAreOneList()
    {
        {
            auto project = store::Project::open(file().toStdString());
            QVERIFY(project.ok());
            samples::addVariant(**project, "a", 2.0);
            QVERIFY((*project)->putTask({{"/elsewhere/mine.py"}, "mine", "", 0, "x", "h"}).ok());
        }
        ProjectModel model;
        open(model);
        const auto tasks = model.tasks();
        QStringList ids;
        for (const auto& entry : *tasks)
            ids << QString::fromStdString(entry.id.value);
        QCOMPARE(ids, (QStringList{"1/1", "1/2", "2/1", "/elsewhere/mine.py"}));
        QCOMPARE(tasks->front().row.variants, 1);
        QCOMPARE(tasks->front().row.best.estimate, 2.0);
        QVERIFY(tasks->front().inSuite && !tasks->back().inSuite);
        QVERIFY(model.entry({"2/1"}) && !model.entry({"9/9"}));
    }

    void variantsComeOnceAskedForAndStayUpToDate()
    {
        ProjectModel model;
        open(model);
        QSignalSpy changed(&model, &ProjectModel::variantsChanged);
        QVERIFY(!model.variants({"1/1"}));
        QVERIFY(changed.wait(deadline_ms));
        QCOMPARE(model.variants({"1/1"})->size(), 0u);
        const auto before = model.variants({"1/1"});

        samples::addVariant(*model.project(), "a", 1.5);
        samples::addVariant(*model.project(), "b", 3.0);
        model.changedHere();
        QTRY_COMPARE_WITH_TIMEOUT(model.variants({"1/1"})->size(), 2u, deadline_ms);
        QCOMPARE(model.variants({"1/1"})->front().evaluation->wall.estimate, 3.0);
        QCOMPARE(before->size(), 0u); // a snapshot never changes under its holder
        QCOMPARE(model.entry({"1/1"})->row.variants, 2);
    }

    void evaluationsAreReadOnTheWorkerAndFollowChanges()
    {
        ProjectModel model;
        open(model);
        const base::VariantId id = samples::addVariant(*model.project(), "a", 1.5);
        QSignalSpy loaded(&model, &ProjectModel::evaluationLoaded);
        QVERIFY(!model.evaluation(id)); // asked for, never read here
        QVERIFY(loaded.wait(deadline_ms));
        QVERIFY(model.evaluation(id)->ok());
        QCOMPARE(model.evaluation(id)->value().speedup.wall.speedup.estimate, 1.5);
        QVERIFY(!model.evaluation({99}));
        QVERIFY(loaded.wait(deadline_ms));
        QVERIFY(!model.evaluation({99})->ok());

        model.variants({"1/1"});
        QVERIFY(model.project()->addEvaluation(id, samples::evaluation(2.5)).ok());
        model.changedHere();
        const auto newest = [&] {
            const auto now = model.evaluation(id);
            return now && now->ok() && (*now)->speedup.wall.speedup.estimate == 2.5;
        };
        QTRY_VERIFY_WITH_TIMEOUT(newest(), deadline_ms);
    }

    void anotherConnectionIsFollowed()
    {
        ProjectModel model;
        open(model);
        auto other = store::Project::open(file().toStdString());
        QVERIFY(other.ok());
        QSignalSpy changed(&model, &ProjectModel::tasksChanged);
        samples::addVariant(**other, "a", 2.0);
        QVERIFY(changed.wait(5000));
        QTRY_COMPARE_WITH_TIMEOUT(model.entry({"1/1"})->row.variants, 1, 5000);
    }

    void anotherProjectIsTakenIn()
    {
        const QString theirs = file() + ".theirs";
        {
            auto other = store::Project::open(theirs.toStdString());
            QVERIFY(other.ok());
            samples::addVariant(**other, "a", 2.0);
        }
        ProjectModel model;
        open(model);
        QSignalSpy imported(&model, &ProjectModel::imported), failed(&model, &ProjectModel::failed);
        model.importProject(theirs);
        QVERIFY(imported.wait(deadline_ms));
        QCOMPARE(imported[0][1].value<store::MergeCounts>().variants, 1);
        QTRY_COMPARE_WITH_TIMEOUT(model.entry({"1/1"})->row.variants, 1, 5000);
        model.importProject(file());
        QVERIFY(failed.wait(deadline_ms)); // itself
        QVERIFY(model.isOpen() && !model.isLoading());
    }

    void aDamagedFileIsRefusedAndLeftAlone()
    {
        samples::write(file(), "this is no database, only a text that is long enough to look at");
        ProjectModel model;
        QSignalSpy failed(&model, &ProjectModel::failed);
        QSignalSpy opened(&model, &ProjectModel::opened);
        model.open(file(), {});
        QVERIFY(failed.wait(deadline_ms));
        QCOMPARE(opened.size(), 0);
        QVERIFY(!model.isOpen() && !model.isLoading());
        QFile kept(file());
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QVERIFY(kept.readAll().startsWith("this is no database"));
    }

    void theLastOfTwoOpensWins()
    {
        ProjectModel model;
        QSignalSpy opened(&model, &ProjectModel::opened);
        model.open(file(), {});
        const QString second = m_folder->filePath("second.cudal1");
        model.open(second, {});
        QVERIFY(opened.wait(deadline_ms));
        QCOMPARE(QFileInfo(model.path()).fileName(), QStringLiteral("second.cudal1"));
        QTRY_VERIFY(!model.isLoading());
        QCOMPARE(opened.size(), 1);
    }

    void aTaskFileCanBeAdded()
    {
        ProjectModel model;
        open(model);
        samples::write(m_folder->filePath("own.py"), samples::taskSource());
        const auto added = model.addTaskFile(m_folder->filePath("own.py"));
        QVERIFY(added.ok());
        QTRY_VERIFY_WITH_TIMEOUT(model.entry(added.value()), deadline_ms);
        samples::write(m_folder->filePath("bad.py"), "x = 1\n");
        const auto refused = model.addTaskFile(m_folder->filePath("bad.py"));
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, base::ErrorCode::InvalidArgument);
    }
};

QTEST_GUILESS_MAIN(TestProjectModel)
#include "tst_projectmodel.moc"
