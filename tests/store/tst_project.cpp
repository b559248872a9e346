// SPDX-License-Identifier: GPL-3.0-or-later
// What goes into a project comes out again, in the right order, and whole.
#include "core/store/project.h"
#include "core/store/storedversus.h"
#include "core/store/variantfacts.h"
#include "tests/store/storesamples.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

using namespace cudal1;
using namespace cudal1::store;
using base::ErrorCode;
namespace fs = std::filesystem;

class TestProject : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_path = fs::path(m_folder->path().toStdString()) / "test project ä%20?.cudal1";
        reopen();
    }
    void cleanup() { m_project.reset(); }

    void taskRoundTrip();
    void taskIsReplaced();
    void variantRoundTrip();
    void emptyFieldsRoundTrip();
    void sameSourceIsTheSameVariant();
    void evaluationRoundTrip();
    void notTimedHasNoInterval();
    void refusedEvaluations();
    void rowsComeBestFirst();
    void anotherVersionStandsBesideTheFirst();
    void staleVariantsDoNotCount();
    void baselinesAreNoVariants();
    void latestEvaluationIsShown();
    void theBestHasItsDevice();
    void onePrecisionCounts();
    void findEvaluationMatchesSettings();
    void taskStates_data();
    void taskStates();
    void taskOrder();
    void runRoundTrip();
    void queueIsKeptInOrder();
    void finishIsAtomic();
    void cacheRoundTrip();
    void dataVersionFollowsBothConnections();
    void missingThingsAreNotFound();

private:
    void reopen()
    {
        m_project.reset();
        auto opened = Project::open(m_path);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
    }
    base::VariantId add(const std::string& source, const std::optional<protocol::Evaluation>& evaluation = {},
                        std::int64_t created = 0)
    {
        VariantRecord record = samples::variant(source);
        record.created_ms = created;
        const auto id = m_project->addVariant(record);
        if (!id)
            qFatal("%s", id.error().text().c_str());
        if (evaluation)
            if (const auto stored = m_project->addEvaluation(*id, *evaluation); !stored)
                qFatal("%s", stored.error().text().c_str());
        return *id;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
    std::unique_ptr<Project> m_project;
};

void TestProject::taskRoundTrip()
{
    const TaskRecord in = samples::task();
    QVERIFY(m_project->putTask(in).ok());
    reopen();
    const auto out = m_project->task(in.id);
    QVERIFY(out.ok());
    QCOMPARE(out->id.value, in.id.value);
    QCOMPARE(out->name, in.name);
    QCOMPARE(out->suite, in.suite);
    QCOMPARE(out->level, in.level);
    QCOMPARE(out->source, in.source);
    QCOMPARE(out->hash, in.hash);
}

void TestProject::taskIsReplaced()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    TaskRecord changed = samples::task();
    changed.source = "changed";
    changed.hash = "c3";
    QVERIFY(m_project->putTask(changed).ok());
    QCOMPARE(m_project->task(changed.id)->source, std::string("changed"));
    QCOMPARE(m_project->taskRows()->size(), std::size_t(1));
}

void TestProject::variantRoundTrip()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto run = m_project->startRun({{}, "optimize", {"3/41"}, "{}", RunState::Running, {}, 0, 0});
    const auto parent = add("parent");
    VariantRecord in = samples::variant("def f():\n    return 'ünï 🚀'\n");
    in.taskHash = "a1b2";
    in.run = *run;
    in.parent = parent;
    in.created_ms = 1234567890123;
    const auto id = m_project->addVariant(in);
    QVERIFY(id.ok());
    reopen();
    const auto out = m_project->variant(*id);
    QVERIFY(out.ok());
    QVERIFY(out->id == *id);
    QCOMPARE(out->task.value, in.task.value);
    QCOMPARE(out->taskHash, in.taskHash);
    QCOMPARE(out->source, in.source);
    QCOMPARE(out->performanceAnalysis, in.performanceAnalysis);
    QCOMPARE(out->algorithmDesign, in.algorithmDesign);
    QCOMPARE(out->codeImplementation, in.codeImplementation);
    QCOMPARE(out->origin, in.origin);
    QVERIFY(out->techniques == in.techniques);
    QVERIFY(out->run == in.run);
    QVERIFY(out->parent == parent);
    QCOMPARE(out->created_ms, in.created_ms);
    const auto rows = m_project->variantRows({"3/41"});
    QCOMPARE(rows->size(), std::size_t(2));
    const VariantRow& row = rows->at(rows->at(0).id == *id ? 0 : 1);
    QVERIFY(row.techniques == in.techniques && row.run == in.run && row.created_ms == in.created_ms &&
            row.origin == in.origin);
    QVERIFY(!row.evaluation);
}

void TestProject::emptyFieldsRoundTrip()
{
    QVERIFY(m_project->putTask({{"1/1"}, "", "", 0, "", ""}).ok());
    VariantRecord in;
    in.task = {"1/1"};
    in.techniques = {"", "with \"quotes\"\nand a line"};
    const auto id = m_project->addVariant(in);
    QVERIFY2(id.ok(), id.ok() ? "" : id.error().text().c_str());
    const auto out = m_project->variant(*id);
    QCOMPARE(out->source, std::string());
    QCOMPARE(out->origin, std::string());
    QVERIFY(!out->run && !out->parent);
    QVERIFY(out->techniques == in.techniques);
    QVERIFY(out->created_ms > 1700000000000);
}

void TestProject::sameSourceIsTheSameVariant()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto first = add("same"), second = add("same"), other = add("same ");
    QVERIFY(first == second);
    QVERIFY(first != other);
    QVERIFY(m_project->putTask(samples::task("1/1")).ok());
    const auto elsewhere = m_project->addVariant(samples::variant("same", "1/1"));
    QVERIFY(elsewhere.ok() && *elsewhere != first);
    QCOMPARE(m_project->variantRows()->size(), std::size_t(3));
}

void TestProject::evaluationRoundTrip()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const protocol::Evaluation in = samples::evaluation(3.86);
    const auto variant = add("v");
    const auto id = m_project->addEvaluation(variant, in);
    QVERIFY(id.ok());
    reopen();
    const auto out = m_project->evaluation(*id);
    QVERIFY(out.ok());
    // Every field travels through JSON, and tst_messages checks that JSON keeps every field.
    QCOMPARE(nlohmann::json(*out).dump(2), nlohmann::json(in).dump(2));
    QCOMPARE(out->pairs.at(1).reference_ns.at(1), 0.1 + 0.2);
    QCOMPARE(out->seed, in.seed);

    const auto summary = m_project->evaluations(variant)->at(0);
    QVERIFY(summary.id == *id && summary.variant == variant);
    QVERIFY(summary.verdict == protocol::Verdict::Correct);
    QVERIFY(summary.precision == protocol::Precision::Tf32);
    QVERIFY(summary.preset == protocol::Preset::Quick);
    QCOMPARE(summary.device, in.device.name);
    QCOMPARE(summary.deviceModel, in.device.model);
    QVERIFY(summary.wall == in.speedup.wall.speedup);
    QVERIFY(summary.event == in.speedup.event.speedup);
    QVERIFY(!summary.precisionMatched);
    QCOMPARE(summary.firstReason, std::string());
    QVERIFY(summary.created_ms > 1700000000000);
}

void TestProject::notTimedHasNoInterval()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto variant = add("v", samples::failure(protocol::Verdict::Incorrect, "differs at „[0, 1]“"));
    const auto summary = m_project->evaluations(variant)->at(0);
    QVERIFY(!summary.wall.valid());
    QVERIFY(!summary.event.valid());
    QVERIFY(summary.wall == base::Interval{});
    QCOMPARE(summary.firstReason, std::string("differs at „[0, 1]“"));
    QVERIFY(summary.verdict == protocol::Verdict::Incorrect);
}

void TestProject::refusedEvaluations()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto variant = add("v");
    QVERIFY(m_project->addEvaluation(variant, samples::failure(protocol::Verdict::Cancelled, "")).error().code ==
            ErrorCode::InvalidArgument);
    protocol::Evaluation broken = samples::evaluation(2);
    broken.pairs[0].candidate_ns[0] = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(m_project->addEvaluation(variant, broken).error().code == ErrorCode::InvalidArgument);
    QVERIFY(m_project->evaluations(variant)->empty());
    // An interval that is no number must not win the ranking: it counts as not timed.
    protocol::Evaluation infinite = samples::evaluation(2);
    infinite.speedup.wall.speedup.high = std::numeric_limits<double>::infinity();
    QVERIFY(m_project->addEvaluation(variant, infinite).ok());
    QVERIFY(!m_project->evaluations(variant)->at(0).wall.valid());
}

void TestProject::rowsComeBestFirst()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    protocol::Evaluation wide = samples::evaluation(5);
    wide.speedup.wall.speedup = {5, 1.5, 20}; // a high estimate with a low bound under the next one
    protocol::Evaluation untimed = samples::evaluation(1);
    untimed.speedup = {};
    const auto wrongOld = add("wrong old", samples::failure(protocol::Verdict::Incorrect, "x"), 10);
    const auto two = add("two", samples::evaluation(2), 20);
    const auto unclear = add("wide", wide, 30);
    const auto three = add("three", samples::evaluation(3), 15);
    const auto pending = add("pending", {}, 40);
    const auto notTimed = add("not timed", untimed, 5);
    const auto wrongNew = add("wrong new", samples::failure(protocol::Verdict::Crashed, "x"), 50);
    const auto rows = m_project->variantRows({"3/41"});
    std::vector<base::VariantId> order;
    for (const VariantRow& row : *rows)
        order.push_back(row.id);
    QVERIFY((order == std::vector{three, two, unclear, notTimed, wrongNew, pending, wrongOld}));
}

void TestProject::anotherVersionStandsBesideTheFirst()
{
    const store::TaskRecord first = samples::task();              // 3/41
    QCOMPARE(m_project->idOf(first)->value, std::string("3/41")); // a project without it takes the plain id
    QVERIFY(m_project->putTask(first).ok());
    const auto old = m_project->addVariant(samples::variant("old"));
    QVERIFY(m_project->addEvaluation(*old, samples::evaluation(2.0)).ok());

    store::TaskRecord other = first;
    QCOMPARE(m_project->idOf(other)->value, std::string("3/41")); // the very text
    other.suite = "KernelBench@0123456789ab";
    QCOMPARE(m_project->idOf(other)->value, std::string("3/41")); // the same text in another suite is the same task
    other.hash = "fedcba9876543210";
    QCOMPARE(m_project->idOf(other)->value, std::string("3/41@fedcba98"));
    other.id = *m_project->idOf(other);
    QVERIFY(m_project->putTask(other).ok());
    const auto rows = m_project->taskRows();
    QCOMPARE(rows->size(), 2u);
    QCOMPARE(rows->at(0).suite, first.suite);
    QCOMPARE(rows->at(0).variants, 1); // nothing went stale
    QCOMPARE(rows->at(0).otherTexts, 0);
    QCOMPARE(rows->at(1).suite, other.suite);
    QCOMPARE(rows->at(1).hash, other.hash);
    QCOMPARE(rows->at(1).variants, 0);

    store::TaskRecord changed = first; // the file was changed within its suite
    changed.hash = "changed";
    QCOMPARE(m_project->idOf(changed)->value, std::string("3/41"));
    QVERIFY(m_project->putTask(changed).ok());
    QCOMPARE(m_project->taskRows()->at(0).variants, 0);
    QCOMPARE(m_project->taskRows()->at(0).otherTexts, 1);

    store::TaskRecord file{{"/home/me/mine.py"}, "mine", "", 0, "x", "h1"};
    QVERIFY(m_project->putTask(file).ok());
    file.hash = "h2"; // a file is its path
    QCOMPARE(m_project->idOf(file)->value, file.id.value);
}

void TestProject::staleVariantsDoNotCount()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto old = add("old", samples::evaluation(9));
    QVERIFY(m_project->putTask(samples::task("3/41", "new hash")).ok());
    const auto fresh = add("fresh", samples::evaluation(2));
    const auto again = add("old");
    QVERIFY(again != old); // the same source for another task text has to be judged anew
    const auto rows = m_project->variantRows({"3/41"});
    QVERIFY(rows->at(0).id == fresh && !rows->at(0).stale);
    for (const VariantRow& row : *rows)
        QCOMPARE(row.stale, row.id == old);
    const TaskRow task = m_project->taskRows()->at(0);
    QVERIFY(task.bestVariant == fresh);
    QCOMPARE(task.best.estimate, 2.0);
    QCOMPARE(task.variants, 2);
}

void TestProject::baselinesAreNoVariants()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto addBaseline = [this](const std::string& source, const std::string& kind) {
        VariantRecord record = samples::variant(source);
        record.baseline = kind;
        const auto id = m_project->addVariant(record);
        return id ? *id : base::VariantId();
    };
    const auto eager = addBaseline("eager", "eager"), compiled = addBaseline("compiled", "compile");
    QVERIFY(m_project->addEvaluation(compiled, samples::evaluation(9)).ok());
    QVERIFY(m_project->addEvaluation(eager, samples::failure(protocol::Verdict::Crashed, "x")).ok());
    QCOMPARE(m_project->variant(compiled)->baseline, std::string("compile"));
    // Neither a gain nor a failure of the task.
    TaskRow task = m_project->taskRows()->at(0);
    QVERIFY(task.state == TaskRow::State::NotTried && task.variants == 0 && !task.bestVariant);
    const auto own = add("own", samples::evaluation(2));
    task = m_project->taskRows()->at(0);
    QVERIFY(task.state == TaskRow::State::Improved && task.variants == 1 && task.bestVariant == own);
    QCOMPARE(task.best.estimate, 2.0);
    for (const base::TaskId& which : {base::TaskId{"3/41"}, base::TaskId()}) {
        const auto rows = m_project->variantRows(which);
        QVERIFY(rows->size() == 1 && rows->at(0).id == own && rows->at(0).baseline.empty());
        const auto baselines = m_project->baselineRows(which);
        QVERIFY(baselines->size() == 2 && baselines->at(0).id == eager && baselines->at(1).id == compiled);
        QCOMPARE(baselines->at(1).baseline, std::string("compile"));
        QCOMPARE(baselines->at(1).evaluation->wall.estimate, 9.0);
    }
    QVERIFY(m_project->baselineRows({"1/1"})->empty());
    // What somebody had judged as a variant of their own is a baseline from when it is added as one; never the other
    // way.
    QVERIFY(addBaseline("own", "tf32") == own);
    QVERIFY(m_project->variantRows()->empty() && m_project->baselineRows()->size() == 3);
    QVERIFY(add("own") == own);
    QVERIFY(m_project->variantRows()->empty());
}

void TestProject::latestEvaluationIsShown()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto variant = add("v", samples::evaluation(4));
    QVERIFY(m_project->addEvaluation(variant, samples::evaluation(2)).ok());
    QCOMPARE(m_project->variantRows()->at(0).evaluation->wall.estimate, 2.0);
    QCOMPARE(m_project->taskRows()->at(0).best.estimate, 2.0);
    const auto all = m_project->evaluations(variant);
    QCOMPARE(all->size(), std::size_t(2));
    QCOMPARE(all->at(0).wall.estimate, 2.0);
    QCOMPARE(all->at(1).wall.estimate, 4.0);
}

void TestProject::theBestHasItsDevice()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    protocol::Evaluation elsewhere = samples::evaluation(3);
    elsewhere.device.model = "NVIDIA A100";
    add("slower", samples::evaluation(2));
    const auto best = add("best", elsewhere);
    add("slower too", samples::evaluation(1.5));
    const TaskRow task = m_project->taskRows()->at(0);
    QVERIFY(task.bestVariant == best);
    QCOMPARE(task.deviceModel, std::string("NVIDIA A100"));
    QVERIFY(m_project->addEvaluation(best, samples::failure(protocol::Verdict::Incorrect, "x")).ok());
    QCOMPARE(m_project->taskRows()->at(0).deviceModel, std::string("NVIDIA H200"));
}

void TestProject::onePrecisionCounts()
{
    using protocol::Precision;
    const auto at = [](Precision precision, double speedup) {
        protocol::Evaluation evaluation = samples::evaluation(speedup);
        evaluation.precision.mode = precision;
        return evaluation;
    };
    const auto choose = qScopeGuard([] { Project::countAt({}); });
    QVERIFY(m_project->putTask(samples::task()).ok());
    QVERIFY(!m_project->countedPrecision()->counts); // there is nothing yet
    const auto other = add("in float32 alone", at(Precision::Ieee, 9));
    QVERIFY(m_project->countedPrecision()->counts == Precision::Ieee); // the only one
    QVERIFY(m_project->taskRows()->at(0).bestVariant == other);
    const auto both = add("both", at(Precision::Kernelbench, 4));
    QVERIFY(m_project->addEvaluation(both, at(Precision::Tf32, 2)).ok());
    const auto slower = add("slower", at(Precision::Kernelbench, 3));
    const auto notJudged = add("not judged");
    QVERIFY(
        (m_project->countedPrecision()->all == std::vector{Precision::Kernelbench, Precision::Ieee, Precision::Tf32}));
    QVERIFY(m_project->countedPrecision()->counts == Precision::Kernelbench);

    TaskRow task = m_project->taskRows()->at(0);
    QVERIFY(task.bestVariant == both);
    QCOMPARE(task.best.estimate, 4.0); // neither the newest nor the largest
    const std::vector<VariantRow> rows = *m_project->variantRows();
    QCOMPARE(rows.size(), std::size_t(4));
    QVERIFY(rows[0].id == both && rows[1].id == slower && rows[2].id == other && rows[3].id == notJudged);
    QVERIFY(rows[0].counts && rows[1].counts && !rows[2].counts && rows[3].counts);
    QCOMPARE(rows[0].evaluation->wall.estimate, 4.0);
    QCOMPARE(rows[2].evaluation->wall.estimate, 9.0); // with its precision
    QVERIFY(rows[2].evaluation->precision == Precision::Ieee);
    QVERIFY((*m_project->countedEvaluation(both))->id == rows[0].evaluation->id);
    QVERIFY((*m_project->countedEvaluation(other))->id == rows[2].evaluation->id);
    QVERIFY(!*m_project->countedEvaluation(notJudged));
    QCOMPARE(m_project->resultGroups()->size(), std::size_t(1));
    QCOMPARE(m_project->resultGroups()->at(0).judged, 2);
    QCOMPARE(m_project->improvements()->size(), std::size_t(1));
    QCOMPARE(m_project->improvements()->at(0).wall.estimate, 4.0);

    // What `show` and `compare` go by, though the one in TF32 is newer.
    QVERIFY(readVariant(*m_project, both)->evaluations.front().precision.mode == Precision::Kernelbench);
    QVERIFY(readVariant(*m_project, other)->evaluations.front().precision.mode == Precision::Ieee);
    QVERIFY(m_project->addEvaluation(slower, at(Precision::Tf32, 8)).ok());
    QVERIFY(versus(*m_project, both, slower)->wall.estimate > 1); // 4 and 3, not 2 and 8

    Project::countAt(Precision::Tf32);
    QVERIFY(versus(*m_project, both, slower)->wall.estimate < 1);
    QVERIFY(readVariant(*m_project, both)->evaluations.front().precision.mode == Precision::Tf32);
    task = m_project->taskRows()->at(0);
    QVERIFY(task.bestVariant == slower);
    QCOMPARE(task.best.estimate, 8.0);
    QCOMPARE(m_project->resultGroups()->at(0).judged, 2);
    QCOMPARE(m_project->improvements()->at(0).wall.estimate, 2.0);
    Project::countAt(Precision::Ieee);
    QVERIFY(m_project->taskRows()->at(0).bestVariant == other);

    // Baselines have no say in it, and come in the order of adding.
    Project::countAt(Precision::Tf32);
    VariantRecord baseline = samples::variant("eager");
    baseline.baseline = "eager";
    const auto eager = m_project->addVariant(baseline);
    QVERIFY(m_project->addEvaluation(*eager, at(Precision::Kernelbench, 1)).ok());
    QCOMPARE(m_project->baselineRows()->at(0).evaluation->wall.estimate, 1.0);
    QVERIFY(!m_project->baselineRows()->at(0).counts);
    QCOMPARE(m_project->resultGroups()->at(0).judged, 2);
}

void TestProject::findEvaluationMatchesSettings()
{
    using namespace protocol;
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto variant = add("v", samples::evaluation(4));
    QVERIFY(m_project->addEvaluation(variant, samples::evaluation(6)).ok());
    const auto found = m_project->findEvaluation(variant, "NVIDIA H200", Precision::Tf32, Preset::Quick);
    QVERIFY(found.ok() && found->has_value());
    QCOMPARE((*found)->wall.estimate, 6.0);
    const auto whole = m_project->findWholeEvaluation(variant, "NVIDIA H200", Precision::Tf32, Preset::Quick);
    QVERIFY(whole.ok() && whole->has_value());
    QVERIFY((*whole)->id == (*found)->id);
    QCOMPARE((*whole)->evaluation.speedup.wall.speedup.estimate, 6.0);
    QVERIFY(!m_project->findWholeEvaluation(variant, "NVIDIA H100", Precision::Tf32, Preset::Quick)->has_value());
    QVERIFY(!m_project->findEvaluation(variant, "NVIDIA H100", Precision::Tf32, Preset::Quick)->has_value());
    QVERIFY(!m_project->findEvaluation(variant, "NVIDIA H200", Precision::Ieee, Preset::Quick)->has_value());
    QVERIFY(!m_project->findEvaluation(variant, "NVIDIA H200", Precision::Tf32, Preset::Standard)->has_value());
}

void TestProject::taskStates_data()
{
    QTest::addColumn<QList<double>>("speedups"); // 0: incorrect, -1: not judged
    QTest::addColumn<bool>("running");
    QTest::addColumn<int>("state");
    using S = TaskRow::State;
    QTest::newRow("nothing") << QList<double>{} << false << int(S::NotTried);
    QTest::newRow("not judged yet") << QList<double>{-1} << false << int(S::NotTried);
    QTest::newRow("running") << QList<double>{3} << true << int(S::Running);
    QTest::newRow("improved") << QList<double>{0, 1.5, -1} << false << int(S::Improved);
    QTest::newRow("low bound at 1.01") << QList<double>{1.0202020202020201} << false << int(S::NoGain);
    QTest::newRow("slower") << QList<double>{0.5, 0} << false << int(S::NoGain);
    QTest::newRow("none correct") << QList<double>{0, 0} << false << int(S::Failed);
}

void TestProject::taskStates()
{
    QFETCH(QList<double>, speedups);
    QFETCH(bool, running);
    QFETCH(int, state);
    QVERIFY(m_project->putTask(samples::task()).ok());
    QVERIFY(m_project->putTask(samples::task("1/1")).ok());
    int i = 0;
    for (double speedup : speedups) {
        std::optional<protocol::Evaluation> evaluation;
        if (speedup == 0)
            evaluation = samples::failure(protocol::Verdict::Incorrect, "x");
        else if (speedup > 0)
            evaluation = samples::evaluation(speedup);
        add(std::to_string(i++), evaluation);
    }
    const auto run = m_project->startRun(
        {{}, "optimize", {"3/41"}, "", running ? RunState::Running : RunState::Stopped, {}, 0, 0});
    QVERIFY(run.ok());
    const auto rows = m_project->taskRows();
    QCOMPARE(rows->size(), std::size_t(2));
    QVERIFY(rows->at(0).state == TaskRow::State::NotTried);
    QCOMPARE(int(rows->at(1).state), state);
    QCOMPARE(rows->at(1).variants, int(speedups.size()));
}

void TestProject::taskOrder()
{
    for (const char* id : {"3/41", "3/5", "1/100", "1/12"}) {
        TaskRecord task = samples::task(id);
        task.level = id[0] - '0';
        QVERIFY(m_project->putTask(task).ok());
    }
    TaskRecord file = samples::task("/home/me/my.py");
    file.level = 0;
    QVERIFY(m_project->putTask(file).ok());
    QStringList order;
    const auto rows = m_project->taskRows();
    for (const TaskRow& row : *rows)
        order << QString::fromStdString(row.id.value);
    QCOMPARE(order, QStringList({"1/12", "1/100", "3/5", "3/41", "/home/me/my.py"}));
}

void TestProject::runRoundTrip()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const RunRecord in{{}, "optimize", {"3/41"}, R"({"rounds":3,"ü":1})", RunState::Running, "", 5000, 6000};
    const auto id = m_project->startRun(in);
    const auto other = m_project->startRun({{}, "training", {}, "", RunState::Finished, "done", 0, 0});
    QVERIFY(id.ok() && other.ok());
    reopen();
    auto all = m_project->runs();
    QCOMPARE(all->size(), std::size_t(2));
    QVERIFY(all->at(0).id == *other);
    QVERIFY(all->at(0).task.empty());
    const RunRecord& out = all->at(1);
    QVERIFY(out.id == *id && out.kind == in.kind && out.task == in.task && out.parameters == in.parameters);
    QVERIFY(out.state == RunState::Running && out.created_ms == 5000 && out.updated_ms == 6000);
    for (RunState state : {RunState::Stopped, RunState::Failed, RunState::Finished}) {
        QVERIFY(m_project->setRunState(*id, state, "becaüse").ok());
        const auto found = m_project->runs(state);
        const auto same = [&](const RunRecord& run) {
            return run.id == *id && run.message == "becaüse" && run.updated_ms > 6000;
        };
        QVERIFY(std::any_of(found->begin(), found->end(), same));
        QVERIFY(m_project->runs(RunState::Running)->empty());
    }
}

void TestProject::queueIsKeptInOrder()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto run = m_project->startRun({{}, "optimize", {"3/41"}, "", RunState::Running, {}, 0, 0});
    const auto other = m_project->startRun({{}, "optimize", {"3/41"}, "", RunState::Running, {}, 0, 0});
    const auto b = add("b"), a = add("a");
    QVERIFY(m_project->enqueue(*run, a, 0).ok());
    QVERIFY(m_project->enqueue(*other, a, 0).ok());
    QVERIFY(m_project->enqueue(*run, b, 1).ok());
    reopen();
    const auto queue = m_project->queue(*run);
    QCOMPARE(queue->size(), std::size_t(2));
    QVERIFY(queue->at(0).variant == a && queue->at(0).round == 0 && queue->at(0).run == *run);
    QVERIFY(queue->at(1).variant == b && queue->at(1).round == 1);
}

void TestProject::finishIsAtomic()
{
    QVERIFY(m_project->putTask(samples::task()).ok());
    const auto run = m_project->startRun({{}, "optimize", {"3/41"}, "", RunState::Running, {}, 0, 0});
    const auto variant = add("v");
    QVERIFY(m_project->enqueue(*run, variant, 2).ok());
    const QueueItem item = m_project->queue(*run)->at(0);

    // Fails after the item was taken off and before the samples are written: the item must be back.
    {
        QSqlDatabase direct = QSqlDatabase::addDatabase("QSQLITE", "direct");
        direct.setDatabaseName(QString::fromStdString(m_path.string()));
        QVERIFY(direct.open());
        QVERIFY(
            direct.exec("CREATE TRIGGER fail BEFORE INSERT ON evaluation_samples BEGIN SELECT RAISE(ABORT, 'no'); END")
                .lastError()
                .type() == QSqlError::NoError);
        QVERIFY(!m_project->finish(item, samples::evaluation(2)).ok());
        QCOMPARE(m_project->queue(*run)->size(), std::size_t(1));
        QVERIFY(m_project->evaluations(variant)->empty());
        QVERIFY(!m_project->variantRows()->at(0).evaluation);
        direct.exec("DROP TRIGGER fail");
    }
    QSqlDatabase::removeDatabase("direct");

    const auto done = m_project->finish(item, samples::evaluation(2));
    QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
    QVERIFY(m_project->queue(*run)->empty());
    QCOMPARE(m_project->evaluations(variant)->size(), std::size_t(1));
    // A second answer for the same work is refused and leaves no second evaluation.
    QVERIFY(m_project->finish(item, samples::evaluation(3)).error().code == ErrorCode::NotFound);
    QCOMPARE(m_project->evaluations(variant)->size(), std::size_t(1));
}

void TestProject::cacheRoundTrip()
{
    QVERIFY(!m_project->cache("missing")->has_value());
    const std::string big(300000, 'x');
    for (const std::string& value : {std::string("{\"ü\":1}"), std::string(), big, std::string("a\0b", 3)}) {
        QVERIFY(m_project->putCache("graph 🚀", value).ok());
        const auto out = m_project->cache("graph 🚀");
        QVERIFY(out->has_value());
        QVERIFY(**out == value);
    }
    // All of one prefix, in the order of their keys, and none of those beside it.
    for (const char* key : {"arrived/1/b", "arrived/1/a", "arrived/10/a", "arrived/1", "arrived/2/a"})
        QVERIFY(m_project->putCache(key, key).ok());
    QVERIFY(*m_project->caches("arrived/1/") == (std::vector<std::string>{"arrived/1/a", "arrived/1/b"}));
    QVERIFY(m_project->dropCaches("arrived/1/").ok());
    QVERIFY(m_project->caches("arrived/1/")->empty() && m_project->caches("arrived/")->size() == 3);
    QVERIFY(m_project->cache("arrived/1")->has_value());
}

void TestProject::dataVersionFollowsBothConnections()
{
    auto second = Project::open(m_path);
    QVERIFY(second.ok());
    const auto mine = *m_project->dataVersion(), theirs = *(*second)->dataVersion();
    QCOMPARE(*m_project->dataVersion(), mine);
    QVERIFY((*second)->putTask(samples::task()).ok());
    const auto mineAfter = *m_project->dataVersion(), theirsAfter = *(*second)->dataVersion();
    QVERIFY(mineAfter != mine);
    QVERIFY(theirsAfter != theirs);
    QCOMPARE(m_project->task({"3/41"})->name, std::string("GRUBidirectional"));
    QVERIFY(m_project->putTask(samples::task("1/1")).ok());
    QVERIFY(*m_project->dataVersion() != mineAfter);
    QVERIFY(*(*second)->dataVersion() != theirsAfter);
}

void TestProject::missingThingsAreNotFound()
{
    QVERIFY(m_project->task({"9/9"}).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->variant({7}).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->evaluation({7}).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->addEvaluation({7}, samples::evaluation(2)).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->addVariant(samples::variant("x", "9/9")).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->startRun({{}, "optimize", {"9/9"}, "", RunState::Running, {}, 0, 0}).error().code ==
            ErrorCode::NotFound);
    QVERIFY(m_project->setRunState({7}, RunState::Failed).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->enqueue({7}, {7}, 0).error().code == ErrorCode::NotFound);
    QVERIFY(m_project->putTask({}).error().code == ErrorCode::InvalidArgument);
    QVERIFY(m_project->variantRows({"9/9"})->empty());
}

QTEST_GUILESS_MAIN(TestProject)
#include "tst_project.moc"
