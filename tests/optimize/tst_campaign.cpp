// SPDX-License-Identifier: GPL-3.0-or-later
// Searches over several tasks against recorded evaluators: two at a time, a place that is lost, stop and going on.
#include "core/optimize/campaign.h"

#include "tests/farm/recording.h"
#include "tests/optimize/projectfixture.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <deque>

using namespace cudal1;
using optimize::Campaign;
using store::RunState;

namespace {

constexpr int deadline_ms = 30'000;

/// One variant for each task, named after it.
class OnePolicy : public policy::InstantPolicy {
public:
    std::string name() const override { return "one"; }
    policy::Reply propose(const policy::Prompt& prompt) override
    {
        policy::Reply reply;
        if (prompt.round == 0)
            reply.proposals.push_back(
                {"candidate of " + prompt.task.name + ";", "analysis", "design", "code", {"t"}, {}});
        return reply;
    }
};

const QByteArray graph = R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":1000}})"
                         "\n";
const QByteArray correct =
    R"({"on":"evaluate","delay_ms":120,"reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1}}}})"
    "\n";

} // namespace

class TestCampaign : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    std::deque<crew::Crew> m_crews;

    QStringList command(const QByteArray& lines) const { return recording::command(*m_folder, graph + lines); }
    optimize::SearchPlace place(const QStringList& words)
    {
        m_crews.emplace_back().add(words);
        return {&m_crews.back(), "cpu", {}, "cpu"};
    }
    static optimize::SearchPlace here() { return {nullptr, "cpu", {}, "cpu"}; }
    static std::vector<store::TaskRecord> tasks(int count)
    {
        std::vector<store::TaskRecord> out;
        for (int i = 1; i <= count; ++i) {
            store::TaskRecord task;
            task.id.value = "1/" + std::to_string(i);
            task.level = 1;
            task.name = "task " + std::to_string(i);
            task.suite = "test";
            task.source = "source " + std::to_string(i);
            task.hash = "hash" + std::to_string(i);
            out.push_back(task);
        }
        return out;
    }
    static RunState wait(QSignalSpy& finished)
    {
        if (finished.isEmpty() && !finished.wait(deadline_ms))
            qFatal("the campaign did not end");
        return finished.takeFirst().at(0).value<RunState>();
    }
    int judged() const
    {
        const auto rows = m_project->variantRows();
        return int(std::count_if(rows->begin(), rows->end(), [](const auto& row) {
            return row.evaluation && row.evaluation->verdict == protocol::Verdict::Correct;
        }));
    }

private slots:
    void init()
    {
        m_crews.clear();
        renew();
        m_options.rounds = 1;
    }

    void twoPlacesSearchAtTheSameTime()
    {
        const QStringList words = command(correct);
        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished);
        int together = 0;
        std::vector<optimize::CampaignProgress> progress;
        connect(&campaign, &Campaign::progress, this, [&](const optimize::CampaignProgress& one) {
            progress.push_back(one);
            together += one.text.find(';') != std::string::npos;
        });
        campaign.start(m_options, tasks(5), {place(words), place(words)});
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(campaign.results().size(), std::size_t(5));
        for (const optimize::TaskResult& result : campaign.results())
            QVERIFY(result.state == RunState::Finished && !result.before && result.best &&
                    result.bestWall.estimate == 2);
        QCOMPARE(judged(), 5);
        QVERIFY(together > 0);
        QVERIFY(progress.back().done == 5 && progress.back().fraction == 1);
        // Before a task has come to its end: six variants and the best once more, of 25 s each, or one variant where it
        // is proposed already; for two and a half tasks at each of two places, or for four while one alone has begun.
        const auto guess = std::find_if(progress.begin(), progress.end(),
                                        [](const auto& one) { return one.secondsLeft >= 0; });
        QVERIFY(guess != progress.end() && guess->guessed && guess->done == 0);
        QVERIFY2(guess->secondsLeft >= 2 * 25 * 2.5 && guess->secondsLeft <= 7 * 25 * 4,
                 qPrintable(QString::number(guess->secondsLeft)));
        QVERIFY(!progress.back().guessed);

        // Once more: everything has come to its end.
        QCOMPARE(optimize::campaignAhead(*m_project, m_options, "one", tasks(6), {here()}, false).over, 5);
        campaign.start(m_options, tasks(5), {place(words)});
        QVERIFY(wait(finished) == RunState::Finished);
        QVERIFY(std::all_of(campaign.results().begin(), campaign.results().end(),
                            [](const auto& result) { return result.before; }));
        QCOMPARE(recording::evaluationsAsked(*m_folder), 10); // each, and each as the best once more
    }

    void howLongAllWillTakeIsKnownBefore()
    {
        const auto ahead = [this](int count, const std::vector<optimize::SearchPlace>& places, bool fresh = false) {
            return optimize::campaignAhead(*m_project, m_options, "one", tasks(count), places, fresh);
        };
        // What is usual: six variants, two more a round, and the best once more, of 25 s each.
        m_options.rounds = 2;
        QCOMPARE(ahead(4, {here()}).seconds, 4 * 9 * 25.0);
        QCOMPARE(ahead(5, {here(), here()}).seconds, 3 * 9 * 25.0); // the third one at either place
        QCOMPARE(ahead(2, {here(), here(), here()}).seconds, 9 * 25.0);
        QVERIFY(ahead(4, {}).seconds == 0 && ahead(0, {here()}).seconds == 0);
        m_options.budget_s = 60; // which each search has
        QCOMPARE(ahead(4, {here()}).seconds, 240.0);
        m_options.budget_s = 0;

        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished);
        campaign.start(m_options, tasks(3), {place(command(correct))});
        QVERIFY(wait(finished) == RunState::Finished);
        QVERIFY(ahead(3, {here()}).seconds == 0 && ahead(3, {here()}).over == 3);
        const double one = ahead(4, {here()}).seconds;
        QVERIFY2(one > 0 && one < 25, qPrintable(QString::number(one))); // as the earlier ones, which took moments
        QVERIFY(ahead(4, {here()}).over == 3);
        QCOMPARE(ahead(4, {here()}, true).over, 0);
        QVERIFY(ahead(4, {here()}, true).seconds > 3 * one);
        m_options.precision = protocol::Precision::Ieee;
        QCOMPARE(ahead(3, {here()}).over, 0);
        optimize::SearchPlace gpu = here(); // of which nothing is known but how many variants there are
        gpu.device = "cuda:0";
        QVERIFY(ahead(1, {gpu}).seconds >= 2 * 25);
    }

    void deathOfAnEvaluatorLosesNothing()
    {
        const QStringList words = command(
            R"({"on":"evaluate","candidate_contains":"1/2;","times":1,"delay_ms":60,"act":"crash"})"
            "\n" +
            correct);
        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished);
        campaign.start(m_options, tasks(4), {place(words), place(words)});
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(campaign.results().size(), std::size_t(4));
        QCOMPARE(judged(), 3); // the player that is started anew crashes too, so the candidate is to blame
        const auto rows = m_project->variantRows({"1/2"});
        QVERIFY(rows->at(0).evaluation->verdict == protocol::Verdict::Crashed);
    }

    void lostPlaceLeavesItsTaskToTheOther()
    {
        const QStringList words = command(correct);
        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished), log(&campaign, &Campaign::log);
        campaign.start(m_options, tasks(3), {place({"/nowhere/evaluator"}), place(words)});
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(campaign.results().size(), std::size_t(3));
        QCOMPARE(judged(), 3);
        QVERIFY(std::any_of(log.begin(), log.end(),
                            [](const auto& line) { return line.at(0).toString().contains("is lost"); }));
    }

    void searchGoesOnWhereItWasBegun()
    {
        const QStringList words = command(QByteArray(correct).replace("\"reply\"", "\"delay_ms\":300,\"reply\""));
        optimize::SearchPlace first = place(words), second = place(words);
        second.evaluator = "another one"; // whose device is not the first one's
        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished);
        campaign.start(m_options, tasks(1), {second});
        QTRY_COMPARE_WITH_TIMEOUT(recording::evaluationsAsked(*m_folder), 1, deadline_ms);
        QCOMPARE(campaign.runs().size(), std::size_t(1));
        campaign.stop();
        QVERIFY(wait(finished) == RunState::Stopped);
        campaign.start(m_options, tasks(3), {first, second});
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(m_project->runs()->size(), std::size_t(3)); // no new one for the first task
        QCOMPARE(judged(), 3);
        // What came to its end at one place is not searched at another.
        campaign.start(m_options, tasks(3), {first, second});
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(m_project->runs()->size(), std::size_t(3));
    }

    void noPlaceIsAFailure()
    {
        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished);
        campaign.start(m_options, tasks(2), {place({"/nowhere/evaluator"})});
        QVERIFY(wait(finished) == RunState::Failed);
        QVERIFY(campaign.error().code == base::ErrorCode::Unavailable);
    }

    void stoppedCampaignGoesOn()
    {
        const QStringList words = command(correct);
        Campaign campaign(*m_project, [] { return std::make_unique<OnePolicy>(); });
        QSignalSpy finished(&campaign, &Campaign::finished);
        connect(&campaign, &Campaign::taskEnded, &campaign, &Campaign::stop);
        campaign.start(m_options, tasks(4), {place(words)});
        QVERIFY(wait(finished) == RunState::Stopped);
        QVERIFY(campaign.results().size() < 4);
        disconnect(&campaign, &Campaign::taskEnded, &campaign, &Campaign::stop);
        campaign.start(m_options, tasks(4), {place(words)});
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(campaign.results().size(), std::size_t(4));
        QVERIFY(campaign.results().front().before);
        QCOMPARE(judged(), 4);
    }
};

QTEST_GUILESS_MAIN(TestCampaign)
#include "tst_campaign.moc"
