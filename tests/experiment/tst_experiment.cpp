// SPDX-License-Identifier: GPL-3.0-or-later
// Files of experiments, results of runs, and the numbers of their rows.
#include "core/experiment/experimentcurves.h"
#include "core/experiment/experimentrecord.h"
#include "core/store/samplecopy.h"
#include "tests/optimize/projectfixture.h"

#include <QTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::experiment;
using base::ErrorCode;

class TestExperiment : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private slots:
    void aPlanIsRead()
    {
        const auto plan = ExperimentPlan::read(
            R"({"policies":["library","endpoint:m"],"methods":["vanilla",{"method":"contrastive","samples":8,"sampler":"random",
                "repair":false,"without":"costs,effects"}],"tasks":["1/12"],"seeds":[1,2],"rounds":2,"budget":60})");
        QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
        const auto arms = plan->arms();
        QCOMPARE(arms.size(), std::size_t(3)); // the library knows one way
        QVERIFY(arms[0].policy == "library" && !arms[0].method && arms[0].methodName().empty());
        QCOMPARE(arms[1].methodName(), std::string("vanilla"));
        QCOMPARE(arms[2].methodName(),
                 std::string("contrastive, random, 8 samples, no repair, without costs, effects"));
        QVERIFY(plan->rounds == 2 && plan->budget_s == 60 && plan->seeds.size() == 2);
        const auto bare = ExperimentPlan::read(R"({"policies":["endpoint:m"],"level":1,"split":"held-out"})");
        QVERIFY(bare.ok() && bare->level == 1 && bare->split == "held-out" && bare->seeds.size() == 1 &&
                bare->arms().size() == 1 && bare->rounds == 1);
    }

    void wrongPlansAreSaid_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << "policies"
                                 << "JSON object";
        QTest::newRow("no policies") << R"({"level":1})"
                                     << "missing";
        QTest::newRow("empty") << R"({"policies":[],"level":1})"
                               << "policies is empty";
        QTest::newRow("twice") << R"({"policies":["a","a"],"level":1})"
                               << "policies says something twice";
        QTest::newRow("field") << R"({"policies":["a"],"level":1,"task":["1/1"]})"
                               << "no field \"task\"";
        QTest::newRow("no tasks") << R"({"policies":["a"]})"
                                  << "No tasks are named";
        QTest::newRow("both") << R"({"policies":["a"],"tasks":["1/1"],"level":1})"
                              << "either";
        QTest::newRow("method") << R"({"policies":["a"],"level":1,"methods":["chain"]})"
                                << "no method \"chain\"";
        QTest::newRow("same methods") << R"({"policies":["a"],"level":1,"methods":["vanilla",{"method":"vanilla"}]})"
                                      << "methods says something twice";
        QTest::newRow("field of a method") << R"({"policies":["a"],"level":1,"methods":[{"method":"evolve","n":1}]})"
                                           << "no field \"n\"";
        QTest::newRow("samples") << R"({"policies":["a"],"level":1,"methods":[{"method":"evolve","samples":0}]})"
                                 << "samples";
        QTest::newRow("seed") << R"({"policies":["a"],"level":1,"seeds":[0]})"
                              << "seed";
        QTest::newRow("kind") << R"({"policies":"a","level":1})"
                              << "another kind";
        QTest::newRow("limit") << R"({"policies":["a"],"level":1,"limits":{"tokens":0}})"
                               << "above 0";
        QTest::newRow("field of a limit") << R"({"policies":["a"],"level":1,"limits":{"euros":1}})"
                                          << "euros";
        QTest::newRow("rows and policies") << R"({"policies":["a"],"rows":[{"policy":"library"}],"level":1})"
                                           << "either";
        QTest::newRow("no rows") << R"({"models":[{"name":"m","path":"p"}],"policies":["a"],"level":1})"
                                 << "\"rows\"";
        QTest::newRow("unknown model") << R"({"rows":[{"policy":"model:m"}],"level":1})"
                                       << "no model \"m\"";
        QTest::newRow("begins with none") << R"({"models":[{"name":"m","from":"n","stage":"sft"}],"rows":[],"level":1})"
                                          << "no model before it";
        QTest::newRow("path and stage")
            << R"({"models":[{"name":"m","path":"p","stage":"sft"}],"rows":[{"policy":"model:m"}],"level":1})"
            << "either";
        QTest::newRow("held out of a level") << R"({"policies":["a"],"level":1,"held_out":["1/1"]})"
                                             << "beside";
        QTest::newRow("rounds") << R"({"policies":["a"],"level":1,"rounds":0})"
                                << "rounds";
    }
    void wrongPlansAreSaid()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto plan = ExperimentPlan::read(text.toStdString());
        QVERIFY(!plan.ok());
        QVERIFY2(plan.error().text().find(says.toStdString()) != std::string::npos, plan.error().text().c_str());
    }

    void rowsByHand()
    {
        const auto cell = [](std::size_t arm, int level, double score, bool done = true) {
            CellResult out;
            out.arm = arm;
            out.level = level;
            out.done = done;
            out.score = score;
            out.correct = score > 0;
            out.samples = 4;
            out.replyTokens = 10;
            out.costs["USD"] = 0.5;
            return out;
        };
        // Scores 0, 1.01, 2 and 8: the mean is 2.7525; of quartiles by linear interpolation the lower one is 0.7575,
        // the median 1.505, the upper one 3.5; the geometric mean of the successful is (1.01 * 2 * 8)^(1/3).
        std::vector<CellResult> all{cell(0, 1, 2), cell(0, 1, 0), cell(0, 2, 8), cell(0, 2, 1.01),
                                    cell(0, 2, 99, false)};
        all[0].correctWithoutRepair = true;
        const auto rows = rowsOf(all, 2);
        QCOMPARE(rows.size(), std::size_t(6)); // all and two levels for each arm
        const ExperimentRow& row = rows[0];
        QVERIFY(row.runs == 4 && row.success == 3 && row.successWithoutRepair == 1 && row.improved == 2);
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
        QVERIFY(near(row.mean, 2.7525) && near(row.maximum, 8) && near(row.lowerQuartile, 0.7575) &&
                near(row.median, 1.505) && near(row.upperQuartile, 3.5));
        QVERIFY(near(row.geometricMean, std::cbrt(16.16)));
        QVERIFY(row.samples == 20 && row.replyTokens == 50 && near(row.costs.at("USD"), 2.5)); // paid is paid
        QVERIFY(rows[1].level == 1 && rows[1].runs == 2 && near(rows[1].mean, 1));
        QVERIFY(rows[3].arm == 1 && rows[3].runs == 0 && rows[3].mean == 0);
    }

    void seedsAreSpread()
    {
        const auto cell = [](std::uint64_t seed, double score) {
            CellResult out;
            out.seed = seed;
            out.done = true;
            out.score = score;
            out.correct = score > 0;
            return out;
        };
        // Means by seed: (1 + 3) / 2 and (4 + 0) / 2 of two tasks, and 5 of one.
        const auto rows = rowsOf({cell(1, 1), cell(1, 3), cell(2, 4), cell(2, 0), cell(7, 5)}, 1);
        QCOMPARE(rows.size(), std::size_t(1));
        QVERIFY(rows[0].seeds == 3 && rows[0].planned == 5 && rows[0].lowestMean == 2 && rows[0].highestMean == 5);
    }

    void sharesAndMeansHaveIntervalsOverSeeds()
    {
        const auto cell = [](std::uint64_t seed, bool heldOut, double score) {
            CellResult out;
            out.seed = seed;
            out.heldOut = heldOut;
            out.done = true;
            out.score = score;
            out.correct = score > 0;
            return out;
        };
        // Of the held-out tasks the seeds' means are 1 and 3: mean 2, deviation sqrt(2), error 1, and the 97.5 %
        // quantile of one degree of freedom is 12.706. Success is 1/2 and 1, above 1.01 are 1/2 and 1.
        const std::vector<CellResult> all{cell(1, true, 2), cell(1, true, 0),  cell(2, true, 3),
                                          cell(2, true, 3), cell(1, false, 5), cell(2, false, 5)};
        const auto rows = rowsBySplit(all, 1);
        QCOMPARE(rows.size(), std::size_t(2));
        QVERIFY(rows[0].heldOut == false && rows[0].mean == 5 && rows[0].meanBySeed.low == 5);
        QVERIFY(rows[1].heldOut == true && rows[1].runs == 4 && rows[1].success == 3);
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
        QVERIFY(near(rows[1].meanBySeed.estimate, 2) && near(rows[1].meanBySeed.high, 2 + 12.706) &&
                rows[1].meanBySeed.low == 0); // not below what a score can be
        QVERIFY(near(rows[1].successBySeed.estimate, 0.75) && rows[1].successBySeed.low == 0 &&
                rows[1].successBySeed.high == 1);
        QVERIFY(near(rows[1].improvedBySeed.estimate, 0.75));
        QVERIFY(rowsBySplit({cell(1, false, 5)}, 1).empty());
        // Three seeds with the means 4, 5 and 6: deviation 1, error 1 / sqrt(3), quantile 4.303.
        const auto three = rowsOf({cell(1, false, 4), cell(2, false, 5), cell(3, false, 6)}, 1);
        QVERIFY(near(three[0].meanBySeed.low, 5 - 4.303 / std::sqrt(3)) &&
                near(three[0].meanBySeed.high, 5 + 4.303 / std::sqrt(3)));
    }

    void rowsAndModelsAreRead()
    {
        const std::string text =
            R"({"models":[{"name":"base","path":"smollm2"},{"name":"sft","from":"base","stage":"sft","data":"d"},
                {"name":"grpo","from":"sft","stage":"contrastive","exemplars":"none"}],
                "rows":[{"name":"Vanilla","policy":"model:base"},{"policy":"model:grpo","method":"evolve"},{"policy":"library"}],
                "sampling":{"temperature":1},"tasks":["1/12"],"held_out":["1/13"],"seeds":[1,2]})";
        const auto plan = ExperimentPlan::read(text);
        QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
        const auto arms = plan->arms();
        QVERIFY(arms.size() == 3 && arms[0].name == "Vanilla" && arms[0].model() == "base" && arms[2].model().empty());
        QCOMPARE(arms[1].methodName(), std::string("evolve"));
        const auto chain = plan->chainOf("grpo");
        QVERIFY(chain.size() == 3 && chain[0].path == "smollm2" && chain[1].name == "sft" && chain[2].name == "grpo");
        QVERIFY(plan->chainOf("other").empty() && plan->heldOut.size() == 1);

        const std::vector<store::TaskRecord> tasks{{{"1/12"}, "A", "s", 1, "a", "h1"},
                                                   {{"1/13"}, "B", "s", 1, "b", "h2"}};
        auto record = recordOf(*plan, "matrix", tasks, {{"1/13"}});
        QVERIFY2(record.ok(), record ? "" : record.error().text().c_str());
        QVERIFY(record->tasks[1].heldOut);
        QCOMPARE(record->storedNames[0], "local: " + ownModelName(*record, "base"));
        // A model is another one where what it is made of or learns from is; what is held out makes no difference.
        auto other = *record;
        other.tasks[1].hash = "h3";
        QCOMPARE(ownModelName(other, "grpo"), ownModelName(*record, "grpo"));
        other.tasks[0].hash = "h4";
        QVERIFY(ownModelName(other, "grpo") != ownModelName(*record, "grpo"));
        QCOMPARE(ownModelName(other, "base"), ownModelName(*record, "base"));
        other = *record;
        other.plan.models[1].stage = R"({"stage":"sft","data":"e"})";
        QVERIFY(ownModelName(other, "grpo") != ownModelName(*record, "grpo"));
        QCOMPARE(ownModelName(other, "base"), ownModelName(*record, "base"));

        renew();
        QVERIFY(keep(*m_project, *record).ok());
        const auto kept = experimentOf(*m_project, record->id);
        QVERIFY2(kept.ok(), kept ? "" : kept.error().text().c_str());
        QVERIFY(kept->plan.rows.size() == 3 && kept->plan.rows[0].name == "Vanilla" && kept->tasks[1].heldOut);
        QVERIFY(kept->plan.models.size() == 3 && ownModelName(*kept, "grpo") == ownModelName(*record, "grpo"));
    }

    void curvesByHand()
    {
        const auto cell = [](std::size_t arm, std::uint64_t seed, std::vector<CellStep> steps) {
            CellResult out;
            out.arm = arm;
            out.seed = seed;
            out.steps = std::move(steps);
            for (const CellStep& step : out.steps)
                out.costs = step.costs;
            return out;
        };
        // Arm 0, seed 1: nothing, then 4. Seed 2: 1 from the first reply on, which is over then. Arm 1: one reply.
        const std::vector<CellResult> results{cell(0, 1, {{1, 10, {{"EUR", 1}}, 0}, {2, 20, {{"EUR", 2}}, 4}}),
                                              cell(0, 2, {{1, 30, {{"EUR", 3}}, 1}}), cell(1, 1, {{1, 5, {}, 2}}),
                                              cell(1, 2, {})};
        const std::vector<Arm> arms{{"endpoint:m", language::AskMethod()}, {"library", {}}};
        QVERIFY(costUnits(results) == std::vector<std::string>{"EUR"});
        const charts::Chart chart = curvesOf(arms, results, Along::Samples);
        QCOMPARE(chart.series.size(), std::size_t(2));
        QCOMPARE(chart.series[0].name, QStringLiteral("endpoint:m, vanilla"));
        const auto& line = chart.series[0].points;
        QCOMPARE(line.size(), std::size_t(3)); // the reference at 0, and two replies
        QVERIFY(line[0].x == 0 && line[0].y == 1 && line[1].x == 1 && line[1].y == 1);
        // Of 4 and 1 the geometric mean is 2; the seeds stand at 4 and 1.
        QVERIFY(line[2].x == 2 && std::abs(line[2].y - 2) < 1e-9 && line[2].low == 1 && line[2].high == 4);
        // What is over keeps what it came to, as far as the others go.
        const auto& other = chart.series[1].points;
        QVERIFY(other.back().x == 2 && other.back().y == 2 && other.back().mark == -1);
        QVERIFY(chart.series[0].ink != chart.series[1].ink && chart.table.rows.size() == 3);
        QVERIFY2(chart.note.contains("Over 3 of 4 runs") && chart.note.contains("Bands"), qPrintable(chart.note));

        const charts::Chart tokens = curvesOf(arms, results, Along::Tokens);
        // At 10: 1 and 1. At 20: 4 and 1. At 30 the other seed has its reply, which is worth 1.
        QCOMPARE(tokens.series[0].points.size(), std::size_t(4));
        QVERIFY(std::abs(tokens.series[0].points[2].y - 2) < 1e-9 && tokens.series[0].points[3].x == 30);
        const charts::Chart cost = curvesOf(arms, results, Along::Cost, "EUR");
        QCOMPARE(cost.series.size(), std::size_t(1)); // the other has cost nothing
        QVERIFY(cost.x.title.contains("EUR") && cost.series[0].points.back().x == 3);
        QVERIFY(curvesOf(arms, {}, Along::Samples).isEmpty());
    }

    void tableAndCurvesCountByOneRule()
    {
        const auto cell = [](std::size_t arm, std::uint64_t seed, double score) {
            CellResult out;
            out.arm = arm;
            out.seed = seed;
            out.done = true;
            out.score = score;
            out.correct = score > 0;
            out.samples = 1;
            out.steps = {{1, 10, {}, score}};
            return out;
        };
        // Arm 0: 4, a slower best, a failure, and a run in which nobody answered. Arms 1 and 2 fail.
        std::vector<CellResult> results{cell(0, 1, 4), cell(0, 1, 0.84), cell(0, 2, 0), cell(0, 2, 0),
                                        cell(1, 1, 0), cell(1, 2, 0),    cell(2, 1, 0), cell(2, 2, 0.9)};
        results[3].steps.clear();
        results[3].samples = 0;
        const auto rows = rowsOf(results, 3, Counting::AtLeastOne);
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
        QVERIFY(near(rows[0].mean, 1.75) && near(rows[0].geometricMean, std::sqrt(2)) && rows[0].maximum == 4 &&
                rows[0].lowerQuartile == 1 && rows[0].lowestMean == 1 && rows[0].meanBySeed.low == 1);
        QVERIFY(rows[0].success == 2 && rows[0].improved == 1); // these are of what was found
        QVERIFY(rows[1].mean == 1 && rows[1].geometricMean == 1 && rows[1].maximum == 1);
        const std::vector<Arm> arms{{"library", {}}, {"endpoint:m", language::AskMethod()}, {"endpoint:n", {}}};
        const charts::Chart chart = curvesOf(arms, results, Along::Samples);
        for (std::size_t arm = 0; arm < 3; ++arm)
            QVERIFY(near(chart.series[arm].points.back().y, rows[arm].geometricMean));
        QVERIFY2(chart.note.contains("Over 8 of 8 runs") &&
                     chart.note.contains("Lines 2 and 3 of the legend coincide."),
                 qPrintable(chart.note));
        QVERIFY(chart.series[1].pattern != chart.series[2].pattern);
        // As in the paper: 0 for a failure, and the geometric mean of what is correct.
        QVERIFY(near(rowsOf(results, 3)[0].mean, 1.21) && near(rowsOf(results, 3)[0].geometricMean, std::sqrt(3.36)));
    }

    void aRunOfUnknownCostIsLeftOut()
    {
        CellResult known, unknown;
        for (CellResult* one : {&known, &unknown}) {
            one->done = one->correct = true;
            one->score = 4;
            one->samples = 1;
        }
        known.steps = {{1, 10, {{"EUR", 2}}, 4}};
        known.costs = {{"EUR", 2}};
        unknown.steps = {{1, 0, {}, 4}};
        const std::vector<Arm> arms{{"library", {}}};
        const auto ends = [&arms](const std::vector<CellResult>& results, Along along) {
            const charts::Chart chart = curvesOf(arms, results, along, "EUR");
            return std::pair(chart.series.at(0).points.back().y, chart.note.section(u';', 0, 0));
        };
        for (const Along along : {Along::Tokens, Along::Cost}) {
            const auto [end, note] = ends({known, unknown}, along);
            QVERIFY2(std::abs(end - 4) < 1e-9 && note == "Over 1 of 2 runs", qPrintable(note));
        }
        QCOMPARE(ends({known, unknown}, Along::Samples).second, QStringLiteral("Over 2 of 2 runs"));
        // Who did not answer took nothing, which is known.
        unknown = {};
        unknown.done = true;
        const auto [end, note] = ends({known, unknown}, Along::Cost);
        QVERIFY2(std::abs(end - 2) < 1e-9 && note == "Over 2 of 2 runs", qPrintable(note));
        // What is not over is in no mean of the table.
        known.done = false;
        for (const int count : {1, 2}) {
            const charts::Chart chart = curvesOf(arms, std::vector<CellResult>(std::size_t(count), known), Along::Cost,
                                                 "EUR");
            QVERIFY2(chart.note.contains(count == 1
                                             ? " One of these has not finished and is left out of the table's means."
                                             : " 2 of these have not finished and are left out of the table's means."),
                     qPrintable(chart.note));
        }
    }

    void anExperimentIsKept()
    {
        renew();
        auto plan = ExperimentPlan::read(
            R"({"policies":["library","endpoint:m"],"methods":["vanilla","evolve"],"level":1,"seeds":[1,2],
                "limits":{"tokens":500,"cost":2,"unit":"EUR"}})");
        QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
        QVERIFY(plan->limits.tokens == 500 && plan->limits.cost == 2 && plan->limits.costUnit == "EUR");
        auto record = recordOf(*plan, "mine", {m_options.task});
        QVERIFY2(record.ok(), record ? "" : record.error().text().c_str());
        record->device = "cpu";
        record->deviceModel = "G";
        QVERIFY(keep(*m_project, *record).ok() && record->id);
        QCOMPARE(record->cells().size(), std::size_t(6)); // the library once, two methods, two seeds
        // The same with another name and another limit is the same; with another seed it is another.
        auto again = *record;
        again.id = {};
        again.name = "renamed";
        again.plan.limits.tokens = 900;
        QVERIFY(keep(*m_project, again).ok() && again.id == record->id);
        again.plan.seeds = {3};
        QVERIFY(keep(*m_project, again).ok() && again.id != record->id);
        const auto all = experimentsOf(*m_project);
        QVERIFY(all.ok() && all->size() == 2);
        const auto read = experimentOf(*m_project, record->id);
        QVERIFY(read.ok() && read->name == "renamed" && read->plan.limits.tokens == 900 &&
                read->plan.limits.costUnit == "EUR" && read->plan.policies == plan->policies &&
                language::toJson(read->plan.methods[1]) == language::toJson(plan->methods[1]) &&
                read->tasks[0].id == m_options.task.id && !read->running &&
                read->storedNames == std::vector<std::string>({"technique library", "endpoint: m"}));
        QVERIFY(!experimentOf(*m_project, {999}).ok());

        // Its runs are found by what they were asked for.
        QVERIFY(m_project->putTask(m_options.task).ok());
        const auto cells = record->cells();
        store::RunRecord run;
        run.kind = "optimize";
        run.task = m_options.task.id;
        run.state = store::RunState::Finished;
        run.parameters = optimize::toJson(read->optionsOf(cells[3]), read->policyOf(cells[3]));
        const auto made = *m_project->startRun(run);
        const auto results = resultsOf(*m_project, *read);
        QVERIFY(results.ok() && results->size() == 6);
        for (std::size_t i = 0; i < 6; ++i)
            QVERIFY(i == 3 ? (*results)[i].run == made && (*results)[i].done : !(*results)[i].run);
        QVERIFY(!recordOf(*ExperimentPlan::read(R"({"policies":["library,endpoint:m"],"level":1})"), "n", {}).ok());
    }

    void resultsAreTheBestOfTheSamples()
    {
        renew();
        QVERIFY(m_project->putTask(m_options.task).ok());
        store::RunRecord run;
        run.kind = "optimize";
        run.task = m_options.task.id;
        CellResult result;
        result.run = *m_project->startRun(run);
        const auto add = [&](const char* source, protocol::Verdict verdict, double speedup, const char* model,
                             bool repair) {
            store::VariantRecord variant;
            variant.task = m_options.task.id;
            variant.source = source;
            store::Sample sample;
            sample.run = result.run;
            sample.task = variant.task;
            sample.variant = *m_project->addVariant(variant);
            sample.policy = "endpoint: m";
            sample.prompt = "p";
            sample.promptTokens = 100;
            sample.replyTokens = 7;
            sample.repair = repair;
            sample.group = repair ? 2 : 1;
            protocol::Evaluation evaluation;
            evaluation.verdict = verdict;
            evaluation.device.model = model;
            if (verdict == protocol::Verdict::Correct)
                evaluation.speedup.wall.speedup = {speedup, speedup, speedup};
            QVERIFY(m_project->addSamples({sample}).ok());
            QVERIFY(m_project->addEvaluation(sample.variant, evaluation).ok());
        };
        add("a", protocol::Verdict::Incorrect, 0, "G", false);
        add("b", protocol::Verdict::Correct, 9, "another", false); // not on this device
        add("c", protocol::Verdict::Correct, 1.559, "G", true);
        add("d", protocol::Verdict::Correct, 1.2, "G", true);
        QVERIFY(readResult(*m_project, "G", protocol::Precision::Kernelbench, result).ok());
        QVERIFY(result.correct && !result.correctWithoutRepair && result.score == 1.55);
        QVERIFY(result.samples == 4 && result.repairs == 2 && result.mended == 2 && result.unusable == 0);
        QVERIFY(result.steps.size() == 3); // one waits for the judge of this device
        QVERIFY(result.steps[0].score == 0 && result.steps[1].score == 1.55 && result.steps[1].samples == 3 &&
                result.steps[2].score == 1.55 && result.steps[2].tokens == 428);
        QVERIFY(result.promptTokens == 400 && result.replyTokens == 28); // a server reads the prompt for each reply
        QCOMPARE(m_project->variant(result.best)->source, std::string("c"));
    }

    void theSampleHasOne()
    {
        renew();
        const auto sample = store::sampleProject({}, m_folder->path().toStdString());
        QVERIFY2(sample.ok(), sample ? "" : sample.error().text().c_str());
        const auto project = store::Project::openExisting(*sample);
        const auto all = experimentsOf(**project);
        QVERIFY(all.ok() && all->size() == 1);
        const ExperimentRecord& record = all->front();
        QVERIFY(record.state == store::RunState::Finished && !record.name.empty());
        const auto results = resultsOf(**project, record);
        QVERIFY(results.ok() && results->size() == record.cells().size());
        for (const CellResult& cell : *results)
            QVERIFY(cell.done && cell.samples > 0 && !cell.steps.empty());
    }
};

QTEST_GUILESS_MAIN(TestExperiment)
#include "tst_experiment.moc"
