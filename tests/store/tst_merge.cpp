// SPDX-License-Identifier: GPL-3.0-or-later
// One project taken into another: what both have, what one has, numbers that differ, versions of a task, and doing it
// again.
#include "core/store/database.h"
#include "tests/store/storesamples.h"
#include "tests/timeline/timelinesamples.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::store;
namespace fs = std::filesystem;

namespace {

protocol::Evaluation on(double speedup, const char* model)
{
    protocol::Evaluation evaluation = samples::evaluation(speedup);
    evaluation.device.model = model;
    return evaluation;
}

} // namespace

class TestMerge : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_ours = opened("ours");
        m_theirs = opened("theirs");
        QVERIFY(m_ours && m_theirs);
        QVERIFY(m_theirs->putTask(samples::task()).ok());
    }
    void cleanup()
    {
        m_ours.reset();
        m_theirs.reset();
        m_folder.reset();
    }

    void everythingComesAlongOnce()
    {
        // Ours has rows before, so that no number is the same in both.
        QVERIFY(m_ours->putTask(samples::task("1/1")).ok());
        QVERIFY(m_ours
                    ->addEvaluation(*m_ours->addVariant(samples::variant("other = 1", "1/1")),
                                    samples::evaluation(5, "1/1"))
                    .ok());

        RunRecord run;
        run.kind = "optimize";
        run.task = samples::task().id;
        run.parameters = "{}";
        const auto runId = *m_theirs->startRun(run);
        VariantRecord record = samples::variant("parent = 1");
        record.run = runId;
        const auto parent = *m_theirs->addVariant(record);
        record.source = "child = 1";
        record.parent = parent;
        const auto child = *m_theirs->addVariant(record);
        record.source = "compiled = 1";
        record.parent = {};
        record.baseline = "compile";
        const auto baseline = *m_theirs->addVariant(record);
        QVERIFY(m_theirs->enqueue(runId, child, 1).ok());
        for (const auto& [id, speedup] : {std::pair(parent, 2.0), {child, 3.0}, {baseline, 1.5}})
            QVERIFY(m_theirs->addEvaluation(id, on(speedup, "NVIDIA H200")).ok());
        Sample sample = samples::sample(child);
        sample.run = runId;
        QVERIFY(m_theirs->addSamples({sample, sample}).ok()); // two equal replies
        sample.variant = {};
        sample.unusable = "It has no block of code.";
        QVERIFY(m_theirs->addSamples({sample}).ok());
        protocol::Kernels kernels;
        kernels.device.model = "NVIDIA H200";
        kernels.modules.push_back({{"f"},
                                   std::string("\x7f"
                                               "ELF"),
                                   4,
                                   {},
                                   {}});
        QVERIFY(m_theirs->putKernels(child, kernels).ok());
        protocol::Counters counted;
        counted.source = protocol::CounterSource::Cupti;
        counted.device.model = "NVIDIA H200";
        counted.recorded_ms = 1'000;
        counted.reference.kernels = {{"k", {}, 1, 5, 0, {}}};
        QVERIFY(m_theirs->putCounters({"3/41"}, child, counted).ok());
        QVERIFY(m_theirs->putCounters({"3/41"}, {}, counted).ok());
        protocol::TimelineAnswer recorded = timeline::samples::answer();
        recorded.seed = 18446744073709551615ULL;
        QVERIFY(m_theirs->addTimeline({"3/41"}, child, recorded).ok());
        AblationRecord ablation;
        ablation.variant = child;
        ablation.toggles = {"USE_A"};
        ablation.design = "full";
        ablation.deviceModel = "NVIDIA H200";
        ablation.run = runId;
        ablation.rows = {{0, parent}, {1, child}};
        QVERIFY(m_theirs->addAblation(ablation).ok());
        ClaimRecord claim;
        claim.source = "cuda-l1: x.jsonl";
        claim.key = "3/41";
        ImportRow row{samples::task(), samples::variant("child = 1"), claim};
        QVERIFY(m_theirs->importRows({row}).ok());

        const auto counts = m_ours->importProject(*m_theirs);
        QVERIFY2(counts.ok(), counts ? "" : counts.error().text().c_str());
        QVERIFY((*counts == MergeCounts{1, 2, 1, 3, 1, 1, 1, 1, 3, 2}));
        QCOMPARE(
            counts->text(),
            std::string(
                "1 task, 2 variants, 1 baseline, 3 evaluations, 1 claim, 1 timeline, 1 ablation, 1 run, 3 samples, "
                "2 counter records"));
        QCOMPARE(MergeCounts().text(), std::string("nothing new"));

        const auto rows = *m_ours->variantRows({"3/41"});
        QCOMPARE(rows.size(), std::size_t(2));
        const VariantRow& best = rows[0];
        QCOMPARE(best.evaluation->wall.estimate, 3.0);
        QVERIFY(best.id != child);
        QCOMPARE(m_ours->variant(best.parent)->source, std::string("parent = 1"));
        QCOMPARE(m_ours->evaluation(best.evaluation->id)->pairs.size(), std::size_t(2));
        QCOMPARE((*m_ours->madeBy(best.id))->reply, std::string("so"));
        QCOMPARE(m_ours->samples(best.id)->size(), std::size_t(2));
        const auto replies = *m_ours->samples(best.run);
        QCOMPARE(replies.size(), std::size_t(3));
        QVERIFY(replies[0].group == 1 && replies[1].group == 1 && replies[2].group == 2);
        QVERIFY(!replies[2].variant && replies[2].unusable == "It has no block of code." && replies[2].cost == 0.0125);
        QCOMPARE(m_ours->kernels(best.id)->front().kernels.modules[0].kernels[0], std::string("f"));
        QCOMPARE(m_ours->counters({"3/41"}, best.id)->front().counters.reference.kernels, counted.reference.kernels);
        QCOMPARE(m_ours->counters({"3/41"}, {})->front().taskHash, std::string("a1b2"));
        QCOMPARE(m_ours->baselineRows({"3/41"})->front().baseline, std::string("compile"));
        const TimelineRecord timeline = m_ours->timelines({"3/41"})->front();
        QCOMPARE(timeline.variant, best.id);
        QCOMPARE(m_ours->timeline(timeline.id)->seed, recorded.seed);
        const AblationRecord taken = m_ours->ablations({"3/41"})->front();
        QVERIFY(taken.variant == best.id && taken.rows[0].variant == best.parent && taken.rows[1].variant == best.id);
        QCOMPARE(m_ours->claims()->front().variant, best.id);
        const RunRecord ran = m_ours->runs()->front();
        QVERIFY(ran.state == RunState::Finished && ran.id == best.run &&
                taken.run == ran.id); // nobody goes on with it here
        QVERIFY2(QString::fromStdString(ran.message).contains("theirs.cudal1"), ran.message.c_str());
        QVERIFY(m_ours->queue(ran.id)->empty());
        QCOMPARE(m_theirs->queue(runId)->size(), std::size_t(1)); // theirs is as it was

        const auto again = m_ours->importProject(*m_theirs);
        QVERIFY(again.ok() && *again == MergeCounts());
        QCOMPARE(m_ours->runs()->size(), std::size_t(1));
        QVERIFY(m_theirs->importProject(*m_ours).ok()); // and the other way round
        QVERIFY(*m_theirs->importProject(*m_ours) == MergeCounts());
    }

    void readingACopyLeavesTheFileAsItIs()
    {
        const auto variant = *m_theirs->addVariant(samples::variant("a = 1"));
        QVERIFY(m_theirs->addEvaluation(variant, on(2, "NVIDIA H200")).ok()); // in its log, while it is open
        const auto bytesOf = [](const std::filesystem::path& path) {
            QFile file(QString::fromStdString(path.string()));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const std::filesystem::path path = m_theirs->path();
        {
            const auto copy = Project::openCopy(path);
            QVERIFY2(copy.ok(), copy ? "" : copy.error().text().c_str());
            QCOMPARE((*copy)->path().filename(), path.filename());
            QCOMPARE((*copy)->evaluations(variant)->size(), std::size_t(1));
            QVERIFY(!m_theirs->importProject(**copy).ok()); // into itself
            QVERIFY(*m_ours->importProject(**copy) == (MergeCounts{1, 1, 0, 1, 0, 0, 0, 0, 0, 0}));
        }
        m_theirs.reset();
        const QByteArray before = bytesOf(path);
        {
            const auto copy = Project::openCopy(path);
            QVERIFY(copy.ok());
            QVERIFY((*copy)->addVariant(samples::variant("b = 1")).ok());
        }
        QCOMPARE(bytesOf(path), before);
        QVERIFY(!std::filesystem::exists(path.string() + "-wal"));
        QVERIFY(!Project::openCopy(path.string() + ".none").ok());
    }

    void aSourceThatBothHaveHasTheEvaluationsOfBoth()
    {
        QVERIFY(m_ours->putTask(samples::task()).ok());
        const auto theirs = *m_theirs->addVariant(samples::variant("a = 1"));
        QVERIFY(m_theirs->addEvaluation(theirs, on(2, "NVIDIA H200")).ok());
        QTest::qWait(5);
        const auto ours = *m_ours->addVariant(samples::variant("a = 1"));
        QVERIFY(m_ours->addEvaluation(ours, on(3, "NVIDIA H200")).ok());
        QTest::qWait(5);
        QVERIFY(m_theirs->addEvaluation(theirs, on(4, "NVIDIA L4")).ok());

        QVERIFY(*m_ours->importProject(*m_theirs) == (MergeCounts{0, 0, 0, 2, 0, 0, 0, 0, 0, 0}));
        const auto evaluations = *m_ours->evaluations(ours); // newest first, by when it was measured
        QCOMPARE(evaluations.size(), std::size_t(3));
        for (std::size_t at = 0; at < 3; ++at)
            QCOMPARE(evaluations[at].wall.estimate, 4.0 - double(at));
        QCOMPARE(m_ours->variantRows({"3/41"})->front().evaluation->wall.estimate, 4.0);
        const auto groups = *m_ours->resultGroups();
        QCOMPARE(groups.size(), std::size_t(2));
        for (const ResultGroup& group : groups)
            QCOMPARE(group.wall.estimate, group.deviceModel == "NVIDIA L4" ? 4.0 : 3.0);
    }

    void turnsAndExemplarsAreFoundAgain()
    {
        // Numbers differ: this project has a variant and a sample of its own before.
        QVERIFY(m_ours->putTask(samples::task()).ok());
        QVERIFY(m_ours->addSamples({samples::sample(*m_ours->addVariant(samples::variant("own = 1")), "ours")}).ok());
        QVERIFY(m_theirs->putTask(samples::task()).ok());
        const auto first = *m_theirs->addVariant(samples::variant("a = 1")),
                   second = *m_theirs->addVariant(samples::variant("b = 1"));
        const auto parent = m_theirs->addSamples({samples::sample(first, "first")})->front();
        Sample child = samples::sample(second, "second");
        child.method = "contrastive";
        child.turn = 1;
        child.repair = true;
        child.parent = parent;
        child.shown = {second, first, {999}}; // the last one was deleted
        QVERIFY(m_theirs->addSamples({child}).ok());
        QCOMPARE(m_ours->importProject(*m_theirs)->samples, 2);
        const auto kept = *m_ours->samplesOf();
        QCOMPARE(kept.size(), std::size_t(3));
        QVERIFY(kept[2].parent == kept[1].id && kept[2].turn == 1 && kept[2].repair);
        QCOMPARE(kept[2].method, child.method);
        QVERIFY((kept[2].shown == std::vector<base::VariantId>{kept[2].variant, kept[1].variant}));
        // One that comes later finds its parent, which is here already.
        child.parent = parent;
        child.prompt = "third";
        QVERIFY(m_theirs->addSamples({child}).ok());
        QCOMPARE(m_ours->importProject(*m_theirs)->samples, 1);
        QVERIFY(m_ours->samplesOf()->back().parent == kept[1].id);
    }

    void samplesComeOnceAndGroupsStayApart()
    {
        // Ours is a copy of theirs, and both went on with one run.
        RunRecord run;
        run.kind = "optimize";
        run.task = samples::task().id;
        const auto theirRun = *m_theirs->startRun(run);
        Sample sample = samples::sample(*m_theirs->addVariant(samples::variant("a = 1")));
        sample.run = theirRun;
        QVERIFY(m_theirs->addSamples({sample}).ok());
        QCOMPARE(m_ours->importProject(*m_theirs)->samples, 1);
        const auto ourRun = m_ours->runs()->front().id;
        Sample own = samples::sample(m_ours->variantRows()->front().id, "what we asked");
        own.run = ourRun;
        QVERIFY(m_ours->addSamples({own}).ok());
        sample.prompt = "what they asked";
        const auto second = *m_theirs->addSamples({sample});

        QCOMPARE(m_ours->importProject(*m_theirs)->samples, 1);
        sample.group = 2;
        QVERIFY(m_theirs->addSamples({sample}).ok()); // one more reply to what they asked
        QVERIFY(m_theirs->setRewards({{second.front(), 1.5}}).ok());
        QVERIFY(*m_ours->importProject(*m_theirs) == (MergeCounts{0, 0, 0, 0, 0, 0, 0, 0, 1, 0}));
        QVERIFY(*m_ours->importProject(*m_theirs) == MergeCounts());
        QCOMPARE(m_ours->samples(ourRun, 1)->size(), std::size_t(1));
        const auto ours = *m_ours->samples(ourRun, 2), other = *m_ours->samples(ourRun, 3);
        QCOMPARE(ours.size(), std::size_t(1));
        QCOMPARE(m_ours->sample(ours[0].id)->prompt, std::string("what we asked"));
        QVERIFY(!ours[0].reward);
        QCOMPARE(other.size(), std::size_t(2));
        QCOMPARE(m_ours->sample(other[1].id)->prompt, std::string("what they asked"));
        QVERIFY(other[0].reward == 1.5 && !other[1].reward); // came after the sample itself
    }

    void otherTextsStayApart()
    {
        TaskRecord present = samples::task("3/41", "ffff0000ffff");
        present.suite = "kernelbench, present sizes";
        QVERIFY(m_ours->putTask(present).ok());
        QVERIFY(m_theirs->addVariant(samples::variant("a = 1")).ok());
        const auto counts = *m_ours->importProject(*m_theirs);
        QCOMPARE(counts.tasks, 1);
        QCOMPARE(m_ours->task({"3/41"})->hash, present.hash);
        QCOMPARE(m_ours->variantRows({"3/41"})->size(), std::size_t(0));
        QCOMPARE(m_ours->variantRows({"3/41@a1b2"})->size(), std::size_t(1));
        QVERIFY(m_ours->addVariant(samples::variant("b = 1")).ok());

        // And back: each finds its own again.
        const auto back = *m_theirs->importProject(*m_ours);
        QCOMPARE(back.tasks, 1);
        QCOMPARE(back.variants, 1);
        QCOMPARE(m_theirs->taskRows()->size(), std::size_t(2));
        QCOMPARE(m_theirs->variantRows({"3/41@ffff0000"})->size(), std::size_t(1));
        QVERIFY(*m_ours->importProject(*m_theirs) == MergeCounts());
    }

    void runsKeepTheirEnd()
    {
        RunRecord run;
        run.kind = "optimize";
        run.task = samples::task().id;
        run.parameters = "{}";
        run.created_ms = 1000;
        const auto failed = *m_theirs->startRun(run);
        QVERIFY(m_theirs->setRunState(failed, RunState::Failed, "No memory left").ok());
        run.created_ms = 2000;
        const auto going = *m_theirs->startRun(run);
        QVERIFY(m_ours->putTask(samples::task()).ok());
        run.created_ms = 3000;
        const auto own = *m_ours->startRun(run);
        QVERIFY(m_ours->setRunState(own, RunState::Stopped, "Stopped").ok());
        QCOMPARE(m_ours->importProject(*m_theirs)->runs, 2);
        QVERIFY(m_theirs->setRunState(going, RunState::Finished, "").ok());
        QVERIFY(m_ours->importProject(*m_theirs).ok());
        const auto runs = *m_ours->runs();
        QCOMPARE(runs.size(), std::size_t(3));
        QVERIFY(runs[0].id == own && runs[0].state == RunState::Stopped); // the newest stays the one to go on with
        QVERIFY(runs[1].state == RunState::Finished && runs[1].message.empty());
        QCOMPARE(runs[2].message, std::string("No memory left"));
    }

    void whatIsJudgedNowIsTheNewest()
    {
        // Their clock is an hour ahead.
        const auto id = *m_theirs->addVariant(samples::variant("a = 1"));
        QVERIFY(m_theirs->addEvaluation(id, on(2, "NVIDIA H200")).ok());
        const fs::path path = m_theirs->path();
        m_theirs.reset();
        Database(path, Database::Mode::ReadWrite).run("UPDATE evaluations SET created_ms = created_ms + 3600000");
        m_theirs = opened("theirs");
        QVERIFY(m_ours->importProject(*m_theirs).ok());
        const auto own = m_ours->variantRows({"3/41"})->front().id;
        QVERIFY(m_ours->addEvaluation(own, on(3, "NVIDIA H200")).ok());
        QCOMPARE(m_ours->variantRows({"3/41"})->front().evaluation->wall.estimate, 3.0);
    }

    void itselfIsRefused()
    {
        const auto same = Project::open(m_ours->path());
        QCOMPARE(m_ours->importProject(**same).error().code, base::ErrorCode::InvalidArgument);
    }

private:
    std::unique_ptr<Project> opened(const char* name)
    {
        auto project = Project::open(m_folder->filePath(QString::fromLatin1(name) + ".cudal1").toStdString());
        return project ? std::move(*project) : nullptr;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Project> m_ours, m_theirs;
};

QTEST_GUILESS_MAIN(TestMerge)
#include "tst_merge.moc"
