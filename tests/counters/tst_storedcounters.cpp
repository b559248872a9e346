// SPDX-License-Identifier: GPL-3.0-or-later
// Which record of a project is taken for a variant's counters.
#include "core/counters/storedcounters.h"
#include "tests/store/storesamples.h"
#include "tests/timeline/timelinesamples.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using counters::storedCounters;
using protocol::CounterSource;

class StoredCountersTest : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        QVERIFY(m_project->putTask(store::samples::task()).ok());
        m_variant = *m_project->addVariant(store::samples::variant("v = 1"));
    }

    void nothingIsNothing() { QVERIFY(!*storedCounters(*m_project, {"3/41"}, m_variant)); }

    void aTimelineStandsIn()
    {
        const auto id = *m_project->addTimeline({"3/41"}, m_variant, timeline::samples::answer());
        const auto found = *storedCounters(*m_project, {"3/41"}, m_variant);
        QVERIFY(found && found->timeline == id);
        QCOMPARE(int(found->counters.source), int(CounterSource::Static));
        // gemm takes 30 us in one call and 10 in the other, relu 20 in one; what lies outside does not count.
        const protocol::CounterSide side = counters::sideOf(*found, {});
        QCOMPARE(side.kernels.size(), std::size_t(3));
        QCOMPARE(side.kernels[0].name, std::string("gemm"));
        QCOMPARE(side.kernels[0].time_ns, 20'000.0);
        QCOMPARE(side.kernels[0].launches, 1.0);
        QCOMPARE(side.kernels[1].launches, 0.5);
        // After the kernels, a copy of 10 us in one of both calls; a memset lies outside.
        QVERIFY(counters::copiesOf(side) == &side.kernels[2]);
        QCOMPARE(side.kernels[2].time_ns, 5'000.0);
        QCOMPARE(side.kernels[2].launches, 0.5);
        QCOMPARE(side.call_ns, 100'000.0);
        QCOMPARE(counters::sourceText(found->counters),
                 std::string("Worked out of launches and times alone: no counters were taken yet, and this is its "
                             "newest timeline."));
    }

    void aTimelineWithoutCopiesKnowsThat()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        std::erase_if(answer.reference.events, [](const protocol::TimelineEvent& event) {
            return event.category == protocol::TimelineEvent::Category::Copy;
        });
        QVERIFY(m_project->addTimeline({"3/41"}, m_variant, answer).ok());
        const protocol::CounterSide side = counters::sideOf(**storedCounters(*m_project, {"3/41"}, m_variant), {});
        const protocol::KernelCounters* copies = counters::copiesOf(side);
        QVERIFY(copies && copies->time_ns == 0);
    }

    void copiesAloneAreNoKernels()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        for (protocol::Timeline* side : {&answer.reference, answer.candidate ? &*answer.candidate : nullptr})
            if (side)
                std::erase_if(side->events, [](const protocol::TimelineEvent& event) {
                    return event.category == protocol::TimelineEvent::Category::Kernel;
                });
        QVERIFY(m_project->addTimeline({"3/41"}, m_variant, answer).ok());
        QVERIFY(!*storedCounters(*m_project, {"3/41"}, m_variant));
    }

    void factsAsJsonTellOfCopies()
    {
        protocol::CounterSide side{100'000, {{"k", {}, 1, 80'000, 0, {}}, {"m", {}, 1, 40'000, 0, {}}}, {}};
        nlohmann::json facts = counters::factsJson(counters::factsOf(side, {}, nullptr));
        QVERIFY(facts["copies_ns"].is_null());
        QCOMPARE(facts["kernels_ns"].get<double>(), 120'000.0);
        QCOMPARE(facts["kernels_together_ns"].get<double>(), 100'000.0);
        side.kernels[1] = {std::string(counters::copiesName), {}, 1, 5'000, 0, {}};
        facts = counters::factsJson(counters::factsOf(side, {}, nullptr));
        QCOMPARE(facts["copies_ns"].get<double>(), 5'000.0);
        QCOMPARE(facts["busy_ns"].get<double>(), 85'000.0);
        QCOMPARE(facts["kernels"].size(), std::size_t(1));
    }

    void whatWasCountedComesFirst()
    {
        protocol::Counters counted;
        counted.source = CounterSource::Cupti;
        counted.tool = "CUPTI 13.0";
        counted.recorded_ms = 1'000;
        counted.reference.kernels = {{"k", {}, 1, 5, 0, {}}};
        QVERIFY(m_project->putCounters({"3/41"}, m_variant, counted).ok());
        protocol::Counters timed = counted;
        timed.source = CounterSource::Static;
        timed.recorded_ms = 2'000;
        QVERIFY(m_project->putCounters({"3/41"}, m_variant, timed).ok());
        QVERIFY(m_project->addTimeline({"3/41"}, m_variant, timeline::samples::answer()).ok());
        const auto found = *storedCounters(*m_project, {"3/41"}, m_variant);
        QVERIFY(found && !found->timeline);
        QCOMPARE(found->created_ms, std::int64_t(1'000));
        QCOMPARE(counters::sourceText(found->counters), std::string("Counted by CUPTI 13.0 in one call."));
    }

    void theJudgesTimesOfACallCount()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        QVERIFY(m_project->addTimeline({"3/41"}, m_variant, answer).ok());
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Correct;
        evaluation.device.model = answer.device.model;
        evaluation.precision.mode = answer.precision;
        evaluation.speedup.wall = {{2, 1.9, 2.1}, 50'000, 25'000};
        QVERIFY(m_project->addEvaluation(m_variant, evaluation).ok());
        auto found = *storedCounters(*m_project, {"3/41"}, m_variant);
        QCOMPARE(counters::sideOf(*found, {}).call_ns, 50'000.0);
        QCOMPARE(counters::sideOf(*found, m_variant).call_ns, 25'000.0);
        evaluation.device.model = "another";
        const auto other = *m_project->addVariant(store::samples::variant("w = 1"));
        QVERIFY(m_project->addTimeline({"3/41"}, other, answer).ok());
        QVERIFY(m_project->addEvaluation(other, evaluation).ok());
        QCOMPARE(counters::sideOf(**storedCounters(*m_project, {"3/41"}, other), {}).call_ns, 100'000.0);
    }

    void anOlderTextOfTheTaskDoesNotCount()
    {
        QVERIFY(m_project->addTimeline({"3/41"}, m_variant, timeline::samples::answer()).ok());
        store::TaskRecord changed = store::samples::task();
        changed.source += "\n# changed";
        changed.hash = "another";
        QVERIFY(m_project->putTask(changed).ok());
        QVERIFY(!*storedCounters(*m_project, {"3/41"}, m_variant));
    }

    void theReferenceMayLieBesideAnyVariant()
    {
        QVERIFY(m_project->addTimeline({"3/41"}, m_variant, timeline::samples::answer()).ok());
        QVERIFY((*storedCounters(*m_project, {"3/41"}, {})).has_value());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    base::VariantId m_variant;
};

QTEST_GUILESS_MAIN(StoredCountersTest)
#include "tst_storedcounters.moc"
