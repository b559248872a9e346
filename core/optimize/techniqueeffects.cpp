// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of techniques from pairs of variants.
#include "core/optimize/techniqueeffects.h"

#include "core/base/student.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cudal1::optimize {

namespace {

/// Of one task: the ratios of its pairs, joined.
struct OfTask {
    double sum = 0;     ///< of ln(ratio)
    double squares = 0; ///< of half widths in ln
    int pairs = 0;
};

} // namespace

std::vector<TechniqueEffect> techniqueEffects(const std::vector<store::ResultGroup>& groups,
                                              const std::string& deviceModel)
{
    using Set = std::vector<std::string>;
    std::map<base::TaskId, std::map<Set, base::Interval>> best;
    for (const store::ResultGroup& group : groups) {
        if (group.deviceModel != deviceModel || group.techniques.empty() || !group.wall.valid())
            continue;
        Set set = group.techniques;
        std::sort(set.begin(), set.end());
        base::Interval& known = best[group.task][set];
        if (group.wall.low > known.low)
            known = group.wall;
    }
    std::map<std::string, std::map<base::TaskId, OfTask>> found;
    for (auto& [task, sets] : best) {
        sets[{}] = {1, 1, 1}; // the reference, which uses none
        for (const auto& [set, with] : sets)
            for (std::size_t i = 0; i < set.size(); ++i) {
                Set rest = set;
                rest.erase(rest.begin() + std::ptrdiff_t(i));
                const auto without = sets.find(rest);
                if (without == sets.end())
                    continue;
                const base::Interval ratio = base::ratioOf(with, without->second);
                const double half = std::log(ratio.high / ratio.low) / 2;
                OfTask& of = found[set[i]][task];
                of.sum += std::log(ratio.estimate);
                of.squares += half * half;
                ++of.pairs;
            }
    }
    std::vector<TechniqueEffect> effects;
    for (const auto& [technique, tasks] : found) {
        TechniqueEffect effect;
        effect.technique = technique;
        std::vector<double> logs;
        double half = 0;
        for (const auto& [task, of] : tasks) {
            effect.tasks.push_back(task);
            effect.pairs += of.pairs;
            logs.push_back(of.sum / of.pairs);
            half = std::sqrt(of.squares / of.pairs); // pairs of a task share variants, so they do not average out
        }
        double mean = 0, variance = 0;
        for (const double log : logs)
            mean += log / double(logs.size());
        for (const double log : logs)
            variance += (log - mean) * (log - mean);
        if (logs.size() > 1)
            half = base::studentT(int(logs.size()) - 1) *
                   std::sqrt(variance / double(logs.size() - 1) / double(logs.size()));
        effect.ratio = {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
        effects.push_back(std::move(effect));
    }
    std::stable_sort(effects.begin(), effects.end(), [](const TechniqueEffect& a, const TechniqueEffect& b) {
        return a.ratio.estimate > b.ratio.estimate;
    });
    return effects;
}

} // namespace cudal1::optimize
