// SPDX-License-Identifier: GPL-3.0-or-later
// Which baselines have been measured: with these settings, by this program, for this text of the task.
#include "core/baselines/baselinerows.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using baselines::BaselineRow;

namespace {

const baselines::BaselineSettings settings{"NVIDIA H200", protocol::Precision::Kernelbench, protocol::Preset::Quick};

store::TaskRecord taskOf(const std::string& id, const std::string& source)
{
    return {{id}, "Name of " + id, "suite", 1, source, "hash of " + source};
}

protocol::Evaluation evaluation(double speedup)
{
    protocol::Evaluation e;
    e.verdict = protocol::Verdict::Correct;
    e.preset = settings.preset;
    e.precision.mode = settings.precision;
    e.device = {"cuda:0", settings.deviceModel, "", "", "9.0", 0, 0, 0};
    e.speedup.wall = {{speedup, speedup - 0.1, speedup + 0.1}, 2e6 * speedup, 2e6};
    e.labels = {{"degenerate_task", "tells little", "zeros passed 20 trials"}, {"crowded", "", ""}};
    return e;
}

} // namespace

class TestMeasured : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    std::vector<const baselines::BaselineKind*> m_kinds{baselines::find("eager"), baselines::find("compile")};
    std::vector<store::TaskRecord> m_tasks;

    std::vector<BaselineRow> rows() const { return *baselines::rowsOf(*m_project, m_tasks, m_kinds, settings); }
    std::vector<base::VariantId> prepare(int limit = 0, bool again = false)
    {
        return *baselines::prepare(*m_project, m_tasks, rows(), again, limit);
    }

private slots:
    void init()
    {
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        m_tasks = {taskOf("1/2", "class Model: two"), taskOf("1/1", "class Model: one")};
    }

    void taskByTask()
    {
        const auto all = rows();
        QCOMPARE(all.size(), std::size_t(4));
        QVERIFY(all[0].task.value == "1/2" && all[0].kind->id == "eager" && all[1].task.value == "1/2" &&
                all[1].kind->id == "compile");
        QVERIFY(all[2].task.value == "1/1" && !all[2].found && all[2].word() == "not_measured" && !all[2].variant);
    }

    void nothingIsMeasuredTwice()
    {
        const auto first = prepare(3);
        QCOMPARE(first.size(), std::size_t(3));
        QCOMPARE(m_project->taskRows()->size(), std::size_t(2));
        QCOMPARE(m_project->variant(first[1])->source, baselines::sourceOf(*m_kinds[1], m_tasks[0].source));
        QVERIFY(prepare(3) == first); // the same programs are the same variants
        QVERIFY(m_project->addEvaluation(first[0], evaluation(1)).ok());
        QVERIFY(m_project->addEvaluation(first[1], evaluation(3)).ok());
        const auto all = rows();
        QVERIFY(all[0].correct() && all[1].correct() && all[2].variant == first[2] && !all[2].found);
        QCOMPARE(all[1].found->wall.speedup.estimate, 3.0);
        QCOMPARE(all[1].found->wall.reference_ns, 6e6);
        QCOMPARE(all[1].found->nulls, std::string("zeros passed 20 trials"));
        QVERIFY((all[1].found->labels == std::vector<std::string>{"degenerate_task", "crowded"}));
        const auto rest = prepare();
        QVERIFY(rest.size() == 2 && rest[0] == first[2]);
        QCOMPARE(prepare(0, true).size(), std::size_t(4));
        QVERIFY(m_project->taskRows()->at(0).variants == 0 && m_project->variantRows()->empty());
    }

    void otherSettingsAreOtherMeasurements()
    {
        const auto id = prepare(1).front();
        protocol::Evaluation other = evaluation(2);
        other.device.model = "NVIDIA A100";
        QVERIFY(m_project->addEvaluation(id, other).ok());
        other = evaluation(2);
        other.preset = protocol::Preset::Standard;
        QVERIFY(m_project->addEvaluation(id, other).ok());
        QVERIFY(!rows()[0].found);
        // The task page shows the newest, wherever it was measured.
        const auto latest = *baselines::latestOf(*m_project, {"1/2"});
        QVERIFY(latest.size() == 1 && latest[0].kind->id == "eager" && latest[0].variant == id);
        QVERIFY(baselines::latestOf(*m_project, {"1/1"})->empty());
    }

    void anotherTextOfTheTaskIsMeasuredAnew()
    {
        const auto old = prepare(1).front();
        QVERIFY(m_project->addEvaluation(old, evaluation(2)).ok());
        m_tasks[0] = taskOf("1/2", "class Model: 2");
        QVERIFY(!rows()[0].found);
        const auto fresh = prepare(1).front();
        QVERIFY(fresh != old);
        QVERIFY(baselines::latestOf(*m_project, {"1/2"})->empty());
    }

    void aFailureIsARow()
    {
        const auto id = prepare(1).front();
        protocol::Evaluation crashed = evaluation(2);
        crashed.verdict = protocol::Verdict::Crashed;
        crashed.reasons = {{"exception", "cannot be captured", ""}};
        QVERIFY(m_project->addEvaluation(id, crashed).ok());
        const BaselineRow row = rows()[0];
        QVERIFY(row.found && !row.correct() && row.word() == "crashed" && row.found->reason.code == "exception");
        QVERIFY(!row.found->wall.valid());
        QCOMPARE(prepare().size(), std::size_t(3)); // and is not measured again
    }
};

QTEST_GUILESS_MAIN(TestMeasured)
#include "tst_measured.moc"
