// SPDX-License-Identifier: GPL-3.0-or-later
// Effects, interactions and Shapley values as marks with whiskers on one logarithmic axis, by both clocks.
#include "core/charts/ablationeffects.h"

#include "core/ablation/findingstext.h"
#include "core/base/spelled.h"
#include "core/charts/builders.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace cudal1::charts {

namespace {

using ablation::Effect;

/// One kind of effects; its sign differs from the others' without colour.
struct Group {
    const char* word; ///< in the table
    QString name;     ///< in the legend
    int pattern;
    const std::vector<Effect>&wall, &event;
    std::function<std::string(const Effect&)> sentence;
};

base::Interval factorOf(const std::vector<Effect>& effects, std::uint32_t toggles)
{
    const auto found = std::find_if(effects.begin(), effects.end(),
                                    [toggles](const Effect& one) { return one.toggles == toggles; });
    return found == effects.end() ? base::Interval() : found->factor;
}

Point pointAt(double y, const base::Interval& factor, int mark)
{
    Point point;
    point.x = factor.estimate;
    point.y = y;
    point.low = factor.low;
    point.high = factor.high;
    point.mark = mark;
    return point;
}

/// As techniques are written everywhere: "cuda graph + tf32".
QString wordsOf(const std::vector<std::string>& toggles, std::uint32_t on)
{
    return QString::fromStdString(base::spelled(ablation::togglesText(toggles, on)));
}

} // namespace

Chart ablationEffects(const std::vector<std::string>& toggles, const ablation::Effects& wall,
                      const ablation::Effects& event)
{
    Chart chart;
    chart.kind = "ablation-effects";
    chart.title = QStringLiteral("Effects and interactions");
    if (wall.mains.empty()) {
        chart.empty = QStringLiteral("Effects stand here when two combinations that differ by one toggle are judged");
        return chart;
    }
    chart.note = QStringLiteral("Factor of speed with its 95 % interval.");
    if (toggles.size() > wall.mains.size())
        chart.note += QStringLiteral(" %1 to compare.")
                          .arg(counted(qsizetype(toggles.size() - wall.mains.size()), "toggle has no pairs",
                                       "toggles have no pairs"));
    chart.table.columns = {{QStringLiteral("kind"), false}, {QStringLiteral("toggles"), false}};
    for (const char* column :
         {"factor", "low", "high", "factor by events", "low by events", "high by events", "backgrounds"})
        chart.table.columns.push_back({QString::fromLatin1(column)});
    const Group groups[]{
        {"effect", QStringLiteral("effect of each"), 0, wall.mains, event.mains,
         [&](const Effect& one) { return ablation::mainText(toggles, one); }},
        {"interaction", QStringLiteral("two together, beyond the product of each"), 3, wall.interactions,
         event.interactions, [&](const Effect& one) { return ablation::interactionText(toggles, one); }},
        {"shapley", QStringLiteral("share in the whole (Shapley value)"), 1, wall.shapley, event.shapley,
         [&](const Effect& one) { return ablation::shapleyText(toggles, one, wall.total); }},
    };
    double least = 1, most = 1;
    std::vector<Series> hollow;
    for (const Group& kind : groups) {
        if (kind.wall.empty())
            continue;
        if (!chart.y.words.isEmpty())
            chart.rules.push_back({double(chart.y.words.size()), false, {}, Rule::Look::Faint, 0});
        Series byWall{kind.name, Series::Look::Points, Ink::Variant, kind.pattern, true, -1, {}};
        Series byEvents{{}, Series::Look::Points, Ink::Muted, kind.pattern, true, -1, {}, true};
        for (const Effect& effect : kind.wall) {
            const base::Interval other = factorOf(kind.event, effect.toggles);
            Mark mark;
            mark.key = std::string(kind.word) + ":" + std::to_string(effect.toggles);
            mark.hover = QString::fromStdString(kind.sentence(effect)).replace(u'_', u' ');
            mark.chip = wordsOf(toggles, effect.toggles);
            if (other.valid())
                mark.hover += QStringLiteral("\nBy events: %1  %2").arg(speedupText(other), intervalText(other));
            const int id = chart.add(std::move(mark));
            const double middle = double(chart.y.words.size()) + 0.5, apart = other.valid() ? 0.22 : 0;
            byWall.points.push_back(pointAt(middle - apart, effect.factor, id));
            if (other.valid())
                byEvents.points.push_back(pointAt(middle + apart, other, id));
            for (const base::Interval& factor : {effect.factor, other})
                if (factor.valid()) {
                    least = std::min(least, factor.low);
                    most = std::max(most, factor.high);
                }
            chart.y.words << wordsOf(toggles, effect.toggles);
            chart.y.ends << speedupText(effect.factor);
            const auto number = [&other](double value) { return other.valid() ? ChartCell(value) : ChartCell(); };
            chart.table.rows.push_back(
                {QString::fromLatin1(kind.word), QString::fromStdString(ablation::togglesText(toggles, effect.toggles)),
                 effect.factor.estimate, effect.factor.low, effect.factor.high, number(other.estimate),
                 number(other.low), number(other.high), double(effect.backgrounds)});
        }
        chart.series.push_back(std::move(byWall));
        if (!byEvents.points.empty())
            hollow.push_back(std::move(byEvents));
    }
    if (!hollow.empty())
        hollow.front().name = QStringLiteral("hollow: the same by events");
    std::move(hollow.begin(), hollow.end(), std::back_inserter(chart.series));
    chart.y.scale = AxisScale::Words;
    chart.y.high = double(chart.y.words.size());
    fitSpeedups(chart.x, least, most);
    chart.x.title = QStringLiteral("factor of speed (logarithmic)");
    chart.rules.push_back({1, true, {}, Rule::Look::Solid, 0});
    return chart;
}

} // namespace cudal1::charts
