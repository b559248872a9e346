// SPDX-License-Identifier: GPL-3.0-or-later
// Results of runs and rows over them.
#include "core/experiment/experimentrows.h"

#include "core/base/student.h"
#include "core/optimize/pastanswers.h"
#include "core/optimize/samplefacts.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace cudal1::experiment {

namespace {

/// An improvement, as the paper and TaskRow count it.
constexpr double leastGain = store::TaskRow::leastGain;

double meanOf(const std::vector<double>& all)
{
    return std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
}

/// Of the runs with one seed.
struct OfSeed {
    std::vector<double> scores;
    int success = 0, improved = 0;
};

/// What cannot be is no part of an interval: few seeds make it wide.
base::Interval within(base::Interval interval, double least, double most)
{
    interval.low = std::max(interval.low, least);
    interval.high = std::min(interval.high, most);
    return interval;
}

void addSeeds(const std::map<std::uint64_t, OfSeed>& seeds, double least, ExperimentRow& row)
{
    std::vector<double> means, success, improved;
    for (const auto& [seed, one] : seeds) {
        means.push_back(meanOf(one.scores));
        success.push_back(one.success / double(one.scores.size()));
        improved.push_back(one.improved / double(one.scores.size()));
    }
    row.seeds = int(seeds.size());
    row.lowestMean = *std::min_element(means.begin(), means.end());
    row.highestMean = *std::max_element(means.begin(), means.end());
    row.meanBySeed = within(base::meanWithInterval(means), least, std::numeric_limits<double>::infinity());
    row.successBySeed = within(base::meanWithInterval(success), 0, 1);
    row.improvedBySeed = within(base::meanWithInterval(improved), 0, 1);
}

ExperimentRow rowOf(std::size_t arm, std::optional<int> level, const std::vector<CellResult>& results,
                    Counting counting)
{
    ExperimentRow row;
    row.arm = arm;
    row.level = level;
    const bool atLeastOne = counting == Counting::AtLeastOne;
    std::vector<double> scores, multiplied;
    std::map<std::uint64_t, OfSeed> bySeed;
    for (const CellResult& one : results) {
        if (one.arm != arm || (level && one.level != *level))
            continue;
        ++row.planned;
        // What was paid was paid, also for a run that did not come to its end.
        row.samples += one.samples;
        row.unusable += one.unusable;
        row.repairs += one.repairs;
        row.mended += one.mended;
        row.promptTokens += one.promptTokens;
        row.replyTokens += one.replyTokens;
        for (const auto& [unit, cost] : one.costs)
            row.costs[unit] += cost;
        if (!one.done)
            continue;
        ++row.runs;
        row.success += one.correct;
        row.successWithoutRepair += one.correctWithoutRepair;
        row.improved += one.score > leastGain;
        const double score = atLeastOne ? countedScore(one.score) : one.score;
        scores.push_back(score);
        OfSeed& seed = bySeed[one.seed];
        seed.scores.push_back(score);
        seed.success += one.correct;
        seed.improved += one.score > leastGain;
        if (atLeastOne || (one.correct && score > 0))
            multiplied.push_back(score);
    }
    if (scores.empty())
        return row;
    row.mean = meanOf(scores);
    addSeeds(bySeed, atLeastOne ? 1 : 0, row);
    row.maximum = *std::max_element(scores.begin(), scores.end());
    row.upperQuartile = base::quantile(scores, 0.75);
    row.median = base::quantile(scores, 0.5);
    row.lowerQuartile = base::quantile(scores, 0.25);
    row.geometricMean = base::geometricMean(multiplied);
    return row;
}

} // namespace

double countedScore(double score)
{
    return std::max(1.0, score);
}

std::string countedScoreText()
{
    return "A run without a correct reply, or whose best is slower than the reference, counts as 1× in table and "
           "curves: one would keep the reference.";
}

base::Status readResult(const store::Project& project, const std::string& deviceModel, protocol::Precision precision,
                        CellResult& result)
{
    const auto samples = project.samples(result.run);
    if (!samples)
        return samples.error();
    std::map<base::VariantId, std::optional<store::EvaluationSummary>> newest;
    std::set<std::int64_t> questions;
    const auto step = [&result] {
        result.steps.push_back({result.samples, result.promptTokens + result.replyTokens, result.costs, result.score});
    };
    for (const store::SampleRecord& sample : *samples) {
        ++result.samples;
        result.unusable += !sample.unusable.empty();
        result.repairs += sample.repair;
        result.replyTokens += sample.replyTokens.value_or(0);
        if (questions.insert(sample.group).second || optimize::readsPromptEachTime(sample.policy))
            result.promptTokens += sample.promptTokens.value_or(0);
        if (sample.cost)
            result.costs[sample.costUnit] += *sample.cost;
        if (!sample.variant) {
            step();
            continue;
        }
        const auto [place, isNew] = newest.try_emplace(sample.variant);
        if (isNew) {
            const auto evaluations = project.evaluations(sample.variant); // newest first
            if (!evaluations)
                return evaluations.error();
            const auto fits = std::find_if(evaluations->begin(), evaluations->end(), [&](const auto& one) {
                return one.deviceModel == deviceModel && one.precision == precision;
            });
            if (fits != evaluations->end())
                place->second = *fits;
        }
        const auto& evaluation = place->second;
        if (!evaluation)
            continue; // it waits for the judge
        if (evaluation->verdict == protocol::Verdict::Correct) {
            result.correct = true;
            result.correctWithoutRepair = result.correctWithoutRepair || !sample.repair;
            result.mended += sample.repair;
            const double reward = optimize::rewardOf(*evaluation).value_or(0);
            if (reward > result.score) {
                result.score = reward;
                result.best = sample.variant;
            }
        }
        step();
    }
    return {};
}

std::vector<ExperimentRow> rowsOf(const std::vector<CellResult>& results, std::size_t arms, Counting counting)
{
    std::set<int> levels;
    for (const CellResult& one : results)
        levels.insert(one.level);
    std::vector<ExperimentRow> out;
    for (std::size_t arm = 0; arm < arms; ++arm) {
        out.push_back(rowOf(arm, {}, results, counting));
        if (levels.size() > 1)
            for (const int level : levels)
                out.push_back(rowOf(arm, level, results, counting));
    }
    return out;
}

std::vector<ExperimentRow> rowsBySplit(const std::vector<CellResult>& results, std::size_t arms)
{
    std::vector<ExperimentRow> out;
    for (const bool heldOut : {false, true}) {
        std::vector<CellResult> some;
        for (const CellResult& one : results)
            if (one.heldOut == heldOut)
                some.push_back(one);
        if (some.empty())
            return {};
        for (ExperimentRow& row : rowsOf(some, arms)) {
            row.heldOut = heldOut;
            out.push_back(std::move(row));
        }
    }
    return out;
}

} // namespace cudal1::experiment
