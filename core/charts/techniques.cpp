// SPDX-License-Identifier: GPL-3.0-or-later
// Techniques: how often each was tried, and what each brings.
#include "core/charts/builders.h"

#include "core/base/statistics.h"
#include "core/optimize/techniqueeffects.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cudal1::charts {

namespace {

constexpr std::size_t mostRows = 30;

/// " 2 techniques have no pairs to compare.": those that were judged on this device and are not among `shown`.
QString withoutPairs(const Numbers& numbers, const std::string& device,
                     const std::vector<optimize::TechniqueEffect>& shown)
{
    std::set<std::string> missing;
    for (const store::ResultGroup& group : numbers.groups)
        if (group.deviceModel == device)
            missing.insert(group.techniques.begin(), group.techniques.end());
    for (const optimize::TechniqueEffect& effect : shown)
        missing.erase(effect.technique);
    if (missing.empty())
        return {};
    return QStringLiteral(" %1 to compare.")
        .arg(counted(qsizetype(missing.size()), "technique has no pairs", "techniques have no pairs"));
}

} // namespace

Chart effects(const Numbers& numbers, const Choices& choices)
{
    Chart chart;
    chart.kind = "effects";
    chart.title = QStringLiteral("What each technique brings");
    const std::string device = deviceOf(numbers, choices);
    const std::vector<optimize::TechniqueEffect> all = optimize::techniqueEffects(numbers.groups, device);
    if (all.empty()) {
        chart.empty = QStringLiteral("No two correct variants of a task differ by one named technique alone. `cudal1 "
                                     "optimize` makes such variants; "
                                     "imported ones differ from the reference by more than one");
        return chart;
    }
    chart.note = QStringLiteral("On %1: pairs of correct variants of a task that differ by the technique alone (the "
                                "reference uses none); mean over tasks "
                                "with 95 % interval.%2 The host may have been faster in one measurement than in "
                                "another, and these numbers do not leave that out.")
                     .arg(QString::fromStdString(device), withoutPairs(numbers, device, all));
    chart.table.columns = {{QStringLiteral("technique"), false},
                           {QStringLiteral("effect")},
                           {QStringLiteral("low")},
                           {QStringLiteral("high")},
                           {QStringLiteral("verdict"), false},
                           {QStringLiteral("tasks")},
                           {QStringLiteral("pairs")}};
    Series faster{QStringLiteral("faster"), Series::Look::Points, Ink::Gain, 0, true, -1, {}};
    Series slower{QStringLiteral("slower"), Series::Look::Points, Ink::Loss, 1, true, -1, {}};
    Series neither{QStringLiteral("no clear effect"), Series::Look::Points, Ink::Reference, 3, true, -1, {}};
    double least = 1, most = 1;
    const std::size_t rows = std::min(all.size(), mostRows);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const optimize::TechniqueEffect& effect = all[i];
        const base::Comparison comparison = base::compare(effect.ratio);
        const QString word = QString::fromUtf8(protocol::toString(comparison).data(),
                                               qsizetype(protocol::toString(comparison).size()));
        chart.table.rows.push_back({techniqueName(effect.technique), effect.ratio.estimate, effect.ratio.low,
                                    effect.ratio.high, word, double(effect.tasks.size()), double(effect.pairs)});
        if (i >= rows)
            continue;
        Mark mark;
        mark.key = "technique:" + effect.technique;
        mark.chip = techniqueName(effect.technique);
        mark.technique = effect.technique;
        mark.tasks = effect.tasks;
        mark.hover = QStringLiteral("%1: %2  %3  %4\n%5 of %6")
                         .arg(techniqueName(effect.technique), speedupText(effect.ratio), intervalText(effect.ratio),
                              word, counted(effect.pairs, "pair", "pairs"),
                              counted(qsizetype(effect.tasks.size()), "task", "tasks"));
        chart.y.words << techniqueName(effect.technique);
        Point point;
        point.x = effect.ratio.estimate;
        point.y = double(i) + 0.5;
        point.low = effect.ratio.low;
        point.high = effect.ratio.high;
        point.mark = chart.add(std::move(mark));
        // Two tasks that disagree have an interval as wide as one likes: the axis shows the estimates, and cuts such
        // ends off.
        least = std::min({least, std::max(effect.ratio.low, effect.ratio.estimate / 3)});
        most = std::max({most, std::min(effect.ratio.high, effect.ratio.estimate * 3)});
        (comparison == base::Comparison::Faster   ? faster
         : comparison == base::Comparison::Slower ? slower
                                                  : neither)
            .points.push_back(point);
    }
    if (rows < all.size())
        chart.note += QStringLiteral(" The first %1 of %2; the table has all.").arg(rows).arg(all.size());
    chart.y.scale = AxisScale::Words;
    chart.y.high = double(chart.y.words.size());
    fitSpeedups(chart.x, least, most);
    chart.x.title = QStringLiteral("speed-up with the technique over the same without it (logarithmic)");
    chart.rules.push_back({1, true, {}, Rule::Look::Solid, 0});
    for (Series* series : {&faster, &slower, &neither})
        if (!series->points.empty())
            chart.series.push_back(std::move(*series));
    return chart;
}

namespace {

struct Use {
    int judged = 0, correct = 0, best = 0;
    std::set<base::TaskId> tasks;
};
using Uses = std::vector<std::pair<std::string, Use>>;

/// By technique, the one with most judged variants first. `unnamed`: judged variants that name none.
Uses usesOf(const Numbers& numbers, int& unnamed)
{
    std::map<std::string, Use> uses;
    const auto tasks = byId(numbers.tasks);
    for (const store::ResultGroup& group : numbers.groups) {
        unnamed += group.techniques.empty() ? group.judged : 0;
        for (const std::string& technique : group.techniques) {
            Use& use = uses[technique];
            use.judged += group.judged;
            use.correct += group.correct;
            use.tasks.insert(group.task);
            const auto task = tasks.find(group.task);
            use.best += group.best && task != tasks.end() && task->second->bestVariant == group.best;
        }
    }
    Uses order(uses.begin(), uses.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.judged > b.second.judged; });
    return order;
}

Mark techniqueMark(const std::string& technique, const Use& use)
{
    Mark mark;
    mark.key = "technique:" + technique;
    mark.chip = techniqueName(technique);
    mark.technique = technique;
    mark.tasks.assign(use.tasks.begin(), use.tasks.end());
    mark.hover = QStringLiteral("%1: %2 of %3 correct\nin %4; in the best variant of %5")
                     .arg(techniqueName(technique))
                     .arg(use.correct)
                     .arg(counted(use.judged, "variant", "variants"),
                          counted(qsizetype(use.tasks.size()), "task", "tasks"))
                     .arg(use.best);
    return mark;
}

} // namespace

Chart techniques(const Numbers& numbers)
{
    Chart chart;
    chart.kind = "techniques";
    chart.title = QStringLiteral("How often each technique was tried");
    int unnamed = 0;
    const Uses order = usesOf(numbers, unnamed);
    if (order.empty()) {
        chart.empty = unnamed > 0
                        ? QStringLiteral("The %1 judged variants name no techniques; those of `cudal1 optimize` do")
                              .arg(unnamed)
                        : QStringLiteral("No variant was judged yet");
        return chart;
    }
    chart.note = QStringLiteral("Judged variants that use the technique; a variant may use several.");
    if (unnamed > 0)
        chart.note += QStringLiteral(" %1 named none.").arg(counted(unnamed, "variant", "variants"));
    chart.table.columns = {
        {QStringLiteral("technique"), false}, {QStringLiteral("variants")}, {QStringLiteral("correct")},
        {QStringLiteral("not correct")},      {QStringLiteral("tasks")},    {QStringLiteral("in the best of tasks")}};
    Series correct{QStringLiteral("correct"), Series::Look::Bars, Ink::Gain, 0, true, -1, {}};
    Series failed{QStringLiteral("not correct"), Series::Look::Bars, Ink::Loss, 1, true, -1, {}};
    const std::size_t rows = std::min(order.size(), mostRows);
    int most = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& [technique, use] = order[i];
        chart.table.rows.push_back({techniqueName(technique), double(use.judged), double(use.correct),
                                    double(use.judged - use.correct), double(use.tasks.size()), double(use.best)});
        if (i >= rows)
            continue;
        most = std::max(most, use.judged);
        Point point;
        point.y = double(i) + 0.15;
        point.y2 = double(i) + 0.85;
        point.mark = chart.add(techniqueMark(technique, use));
        point.x = 0;
        point.x2 = use.correct;
        if (use.correct > 0)
            correct.points.push_back(point);
        point.x = use.correct;
        point.x2 = use.judged;
        if (use.judged > use.correct)
            failed.points.push_back(point);
        chart.y.words << techniqueName(technique);
    }
    if (rows < order.size())
        chart.note += QStringLiteral(" The first %1 of %2; the table has all.").arg(rows).arg(order.size());
    chart.y.scale = AxisScale::Words;
    chart.y.high = double(chart.y.words.size());
    chart.x.high = most * 1.02;
    chart.x.whole = true;
    chart.x.title = QStringLiteral("judged variants");
    for (Series* series : {&correct, &failed})
        if (!series->points.empty())
            chart.series.push_back(std::move(*series));
    return chart;
}

} // namespace cudal1::charts
