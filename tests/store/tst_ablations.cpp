// SPDX-License-Identifier: GPL-3.0-or-later
// Ablations in the project file: what comes back, what counts as the same one, what is refused.
#include "core/store/database.h"
#include "tests/store/storesamples.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::store;

class TestAblations : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Project> m_project;
    std::vector<base::VariantId> m_variants;

    std::string path() const { return m_folder->filePath("p.cudal1").toStdString(); }
    AblationRecord record() const
    {
        AblationRecord out;
        out.variant = m_variants[0];
        out.toggles = {"USE_A", "ünïcode", "USE_C"};
        out.design = "full";
        out.device = "cuda:1";
        out.deviceModel = "NVIDIA H200";
        out.precision = protocol::Precision::Ieee;
        out.preset = protocol::Preset::Quick;
        out.rows = {{0, m_variants[1]}, {7, m_variants[0]}, {4, m_variants[2]}};
        return out;
    }

private slots:
    void init()
    {
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = Project::open(path());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        QVERIFY(m_project->putTask(samples::task()).ok());
        m_variants.clear();
        for (const char* source : {"base", "none", "c"})
            m_variants.push_back(*m_project->addVariant(samples::variant(source)));
    }

    void comesBack()
    {
        const auto id = m_project->addAblation(record());
        QVERIFY2(id.ok(), id ? "" : id.error().text().c_str());
        m_project.reset();
        auto again = Project::open(path());
        m_project = std::move(*again);
        const AblationRecord back = *m_project->ablation(*id);
        const AblationRecord given = record();
        QVERIFY(back.variant == given.variant && back.task.value == "3/41" && back.toggles == given.toggles &&
                back.design == "full");
        QVERIFY(back.device == "cuda:1" && back.deviceModel == "NVIDIA H200" && back.rows == given.rows &&
                back.created_ms > 0);
        QVERIFY(back.precision == protocol::Precision::Ieee && back.preset == protocol::Preset::Quick && !back.run);
    }

    void theSameIsOneAndAnyDifferenceIsAnother()
    {
        const auto first = *m_project->addAblation(record());
        AblationRecord same = record();
        same.device = "cuda:0"; // another GPU of the model
        QVERIFY(*m_project->addAblation(same) == first);
        std::vector<AblationRecord> others(6, record());
        others[0].toggles = {"USE_A", "USE_B", "USE_C"};
        others[1].design = "list";
        others[2].deviceModel = "NVIDIA A100";
        others[3].precision = protocol::Precision::Tf32;
        others[4].preset = protocol::Preset::Standard;
        others[5].rows.pop_back();
        for (const AblationRecord& other : others)
            QVERIFY(*m_project->addAblation(other) != first);
        const auto all = *m_project->ablations();
        QVERIFY(all.size() == 7 && all.back().id == first && all.front().rows.size() == 2);
        QVERIFY(m_project->ablations({"3/41"})->size() == 7 && m_project->ablations({"1/1"})->empty());
    }

    void itsRun()
    {
        const auto id = *m_project->addAblation(record());
        RunRecord run;
        run.kind = "ablation";
        const auto started = *m_project->startRun(run);
        QVERIFY(m_project->setAblationRun(id, started).ok());
        QVERIFY(m_project->ablation(id)->run == started);
        QCOMPARE(int(m_project->setAblationRun({99}, started).error().code), int(base::ErrorCode::NotFound));
    }

    void refused()
    {
        const auto code = [&](const AblationRecord& given) { return int(m_project->addAblation(given).error().code); };
        AblationRecord wrong = record();
        wrong.rows[1].variant = {99};
        QCOMPARE(code(wrong), int(base::ErrorCode::NotFound));
        wrong = record();
        wrong.rows.clear();
        QCOMPARE(code(wrong), int(base::ErrorCode::InvalidArgument));
        wrong = record();
        wrong.toggles.assign(33, "USE_X");
        QCOMPARE(code(wrong), int(base::ErrorCode::InvalidArgument));
        QVERIFY(m_project->ablations()->empty()); // nothing half-written
        QCOMPARE(int(m_project->ablation({1}).error().code), int(base::ErrorCode::NotFound));
    }

    void variantsAreFoundBySource()
    {
        const std::string hash = samples::task().hash;
        QVERIFY(*m_project->findVariant({"3/41"}, hash, "none") == m_variants[1]);
        QVERIFY(!*m_project->findVariant({"3/41"}, hash, "None"));
        QVERIFY(!*m_project->findVariant({"3/41"}, "other", "none"));
        QVERIFY(!*m_project->findVariant({"1/1"}, hash, "none"));
    }
};

QTEST_GUILESS_MAIN(TestAblations)
#include "tst_ablations.moc"
