// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as lines, phases as stacked bars.
#include "ui/training/trainingcurves.h"

#include "core/base/counttext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/charts/builders.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace cudal1::ui {

using charts::Chart;
using charts::Ink;
using learning::numberOf;
using nlohmann::json;

namespace {

constexpr std::size_t mostPlaces = 200;
constexpr std::size_t mostBars = 60;

enum class Kind { Number, Share, Tokens };

struct Curve {
    const char* key;
    const char* otherKey; ///< where the first is missing; may be null
    const char* title;
    const char* unit; ///< of the vertical axis
    Kind kind;
    Ink ink;
};

constexpr Curve curves[]{
    {"loss", nullptr, QT_TRANSLATE_NOOP("Training", "Loss"), QT_TRANSLATE_NOOP("Training", "nats"), Kind::Number,
     Ink::Variant},
    {"judged_reward", "reward", QT_TRANSLATE_NOOP("Training", "Reward"), QT_TRANSLATE_NOOP("Training", "mean"),
     Kind::Number, Ink::Gain},
    {"success", nullptr, QT_TRANSLATE_NOOP("Training", "Success"), QT_TRANSLATE_NOOP("Training", "correct replies"),
     Kind::Share, Ink::Gain},
    {"faster_share", nullptr, QT_TRANSLATE_NOOP("Training", "Above 1.01"), QT_TRANSLATE_NOOP("Training", "of replies"),
     Kind::Share, Ink::Gain},
    {"beyond_library", nullptr, QT_TRANSLATE_NOOP("Training", "Beyond the library"),
     QT_TRANSLATE_NOOP("Training", "of replies beside it"), Kind::Share, Ink::Gain},
    {"exploits", nullptr, QT_TRANSLATE_NOOP("Training", "Exploits"), QT_TRANSLATE_NOOP("Training", "of replies"),
     Kind::Share, Ink::Loss},
    {"divergence", nullptr, QT_TRANSLATE_NOOP("Training", "KL"), QT_TRANSLATE_NOOP("Training", "nats a token"),
     Kind::Number, Ink::Warning},
    {"entropy", nullptr, QT_TRANSLATE_NOOP("Training", "Entropy"), QT_TRANSLATE_NOOP("Training", "nats a token"),
     Kind::Number, Ink::Variant},
    {"reply_length", nullptr, QT_TRANSLATE_NOOP("Training", "Length"), QT_TRANSLATE_NOOP("Training", "tokens a reply"),
     Kind::Tokens, Ink::Variant},
    {"clip_share", nullptr, QT_TRANSLATE_NOOP("Training", "Clipped"), QT_TRANSLATE_NOOP("Training", "of tokens"),
     Kind::Share, Ink::Warning},
    {"zero_variance_share", nullptr, QT_TRANSLATE_NOOP("Training", "Without variance"),
     QT_TRANSLATE_NOOP("Training", "of groups"), Kind::Share, Ink::Warning},
    {"corrected_share", nullptr, QT_TRANSLATE_NOOP("Training", "Corrected"), QT_TRANSLATE_NOOP("Training", "of tokens"),
     Kind::Share, Ink::Warning},
    {"sampler_age", nullptr, QT_TRANSLATE_NOOP("Training", "Age of replies"), QT_TRANSLATE_NOOP("Training", "batches"),
     Kind::Tokens, Ink::Reference},
    {"tokens_per_second", nullptr, QT_TRANSLATE_NOOP("Training", "Tokens a second"),
     QT_TRANSLATE_NOOP("Training", "learnt from"), Kind::Tokens, Ink::Variant},
};

struct Phase {
    const char* title;
    std::array<const char*, 4> keys; ///< added up; null ends them
    Ink ink;
    int pattern;
};
constexpr Phase phases[]{
    {QT_TRANSLATE_NOOP("Training", "draw"), {"draw_seconds"}, Ink::Variant, 0},
    {QT_TRANSLATE_NOOP("Training", "judge"), {"judge_seconds"}, Ink::Warning, 1},
    {QT_TRANSLATE_NOOP("Training", "learn"),
     {"seconds.tokenize", "seconds.old", "seconds.reference", "seconds.learn"},
     Ink::Gain,
     0},
    {QT_TRANSLATE_NOOP("Training", "update"), {"seconds.optimize"}, Ink::Reference, 2},
    {QT_TRANSLATE_NOOP("Training", "save"), {"seconds.save"}, Ink::Loss, 3},
};

QString words(const char* text)
{
    return QCoreApplication::translate("Training", text);
}

QString valueText(Kind kind, double value)
{
    if (kind == Kind::Share)
        return QString::fromStdString(base::finePercentText(value));
    return kind == Kind::Tokens ? QString::fromStdString(base::countText(std::llround(value)))
                                : QString::number(value, 'g', 3);
}

bool isGrpo(const json& step)
{
    return step.value("stage", "") == "contrastive";
}

/// What a step has of a curve. Fields of stage 3 stand in every step, as 0 in the others; a step that was skipped has
/// learnt nothing, but its replies were judged.
std::optional<double> valueOf(const json& step, const Curve& curve)
{
    const std::string key = curve.key;
    const bool ofReplies = key == "judged_reward" || key == "success" || key == "faster_share" || key == "exploits" ||
                           key == "beyond_library";
    if (!ofReplies && !step.value("skipped", "").empty() && key != "zero_variance_share")
        return {};
    if ((key == "divergence" || key == "clip_share" || key == "zero_variance_share" || key == "corrected_share") &&
        !isGrpo(step))
        return {};
    // Where nothing can be said of any reply, a mean of none is not 0.
    if ((key == "judged_reward" || key == "faster_share") && numberOf(step, "without_reward") &&
        *numberOf(step, "without_reward") >= numberOf(step, "replies").value_or(0))
        return {};
    if (key == "exploits" || key == "beyond_library") {
        const auto count = numberOf(step, key);
        const auto replies = numberOf(step, key == "exploits" ? "replies" : "beside_library");
        return count && replies && *replies > 0 ? std::optional(*count / *replies) : std::nullopt;
    }
    if (const auto value = numberOf(step, key))
        return value;
    return curve.otherKey && isGrpo(step) ? numberOf(step, curve.otherKey) : std::nullopt;
}

/// The last update of each batch.
std::vector<const json*> batchesOf(const learning::LoggedSteps& log)
{
    std::vector<const json*> out;
    for (const json& step : log.steps)
        if (!out.empty() && out.back()->value("batch", 0) == step.value("batch", 0))
            out.back() = &step;
        else
            out.push_back(&step);
    return out;
}

void prepare(Chart& chart, int planned, int done)
{
    chart.x.low = 0;
    chart.x.high = std::max({1, planned, done});
    chart.x.whole = true;
    chart.x.title = words(QT_TRANSLATE_NOOP("Training", "steps"));
}

void fit(charts::Axis& axis, Kind kind, double least, double most)
{
    if (kind == Kind::Share) {
        axis.scale = charts::AxisScale::Share;
        axis.low = 0;
        axis.high = most > 0.5 ? 1 : std::max(0.05, most * 1.2);
        return;
    }
    const double room = most > least ? 0.08 * (most - least) : std::max(0.1 * std::abs(most), 1e-3);
    axis.low = kind == Kind::Tokens || (least >= 0 && least < 0.5 * most) ? 0 : least - room;
    axis.high = most + room;
}

std::optional<Chart> curveOf(const Curve& curve, const std::vector<const json*>& batches, int planned)
{
    std::vector<std::pair<double, double>> values; // step from 1, value
    for (const json* step : batches)
        if (const auto value = valueOf(*step, curve); value && std::isfinite(*value))
            values.emplace_back(step->value("batch", 0) + 1, *value);
    if (values.empty())
        return {};
    Chart chart;
    chart.kind = std::string("training-") + curve.key;
    prepare(chart, planned, int(values.back().first));
    chart.title = words(curve.title) + QStringLiteral("  ") + valueText(curve.kind, values.back().second);
    chart.y.title = words(curve.unit);
    chart.table.columns = {
        {QStringLiteral("step")}, {words(curve.title)}, {QStringLiteral("least")}, {QStringLiteral("greatest")}};
    charts::Series line;
    line.look = charts::Series::Look::Steps;
    line.ink = curve.ink;
    double least = values.front().second, most = least;
    const std::size_t stride = (values.size() + mostPlaces - 1) / mostPlaces;
    for (std::size_t at = 0; at < values.size(); at += stride) {
        const std::size_t end = std::min(values.size(), at + stride);
        const double last = values[end - 1].first;
        charts::Point point;
        point.x = values[at].first - 1; // a step reaches from the end of the one before to its own
        double sum = 0;
        point.low = point.high = values[at].second;
        for (std::size_t i = at; i < end; ++i) {
            sum += values[i].second;
            point.low = std::min(point.low, values[i].second);
            point.high = std::max(point.high, values[i].second);
        }
        point.y = sum / double(end - at);
        least = std::min(least, point.low);
        most = std::max(most, point.high);
        charts::Mark mark;
        mark.key = "step:" + std::to_string(int(last));
        mark.hover =
            QStringLiteral("%1\n%2 %3")
                .arg(end - at > 1
                         ? words(QT_TRANSLATE_NOOP("Training", "steps %1 to %2")).arg(values[at].first).arg(last)
                         : words(QT_TRANSLATE_NOOP("Training", "step %1")).arg(last),
                     words(curve.title), valueText(curve.kind, point.y));
        point.mark = chart.add(std::move(mark));
        chart.table.rows.push_back({last, point.y, point.low, point.high});
        line.points.push_back(point);
    }
    charts::Point end = line.points.back();
    end.x = values.back().first;
    end.mark = -1;
    line.points.push_back(end);
    fit(chart.y, curve.kind, least, most);
    if (curve.key == std::string_view("judged_reward"))
        chart.rules.push_back({1, false, {}, charts::Rule::Look::Dotted, 0});
    chart.series.push_back(std::move(line));
    return chart;
}

double secondsOf(const json& step, const Phase& phase)
{
    double out = 0;
    for (const char* key : phase.keys)
        if (key)
            out += numberOf(step, key).value_or(0);
    return out;
}

/// A bar for each place, of the shares of all its steps' time.
std::optional<Chart> phasesOf(const std::vector<const json*>& batches, int planned)
{
    Chart chart;
    chart.kind = "training-phases";
    chart.y.scale = charts::AxisScale::Share;
    chart.y.title = words(QT_TRANSLATE_NOOP("Training", "of the time"));
    chart.table.columns = {{QStringLiteral("step")}};
    std::array<charts::Series, std::size(phases)> bars;
    std::array<double, std::size(phases)> all{};
    const std::size_t stride = (std::max<std::size_t>(batches.size(), 1) + mostBars - 1) / mostBars;
    for (std::size_t at = 0; at < batches.size(); at += stride) {
        const std::size_t end = std::min(batches.size(), at + stride);
        std::array<double, std::size(phases)> sums{};
        double sum = 0;
        for (std::size_t i = at; i < end; ++i)
            for (std::size_t p = 0; p < sums.size(); ++p) {
                const double own = secondsOf(*batches[i], phases[p]);
                sums[p] += own;
                all[p] += own;
                sum += own;
            }
        if (sum <= 0)
            continue;
        const double from = batches[at]->value("batch", 0), to = batches[end - 1]->value("batch", 0) + 1;
        double below = 0;
        std::vector<charts::ChartCell> row;
        row.emplace_back(to);
        for (std::size_t p = 0; p < sums.size(); ++p) {
            row.push_back(sums[p] / sum);
            if (sums[p] <= 0)
                continue;
            charts::Mark mark;
            mark.key = "phase:" + std::to_string(p) + ":" + std::to_string(int(to));
            mark.hover = QStringLiteral("%1\n%2 %3, %4")
                             .arg(words(QT_TRANSLATE_NOOP("Training", "step %1")).arg(to), words(phases[p].title),
                                  valueText(Kind::Share, sums[p] / sum),
                                  QString::fromStdString(base::durationText(sums[p] / double(end - at))));
            charts::Point bar;
            bar.x = from;
            bar.x2 = to;
            bar.y = below;
            below += sums[p] / sum;
            bar.y2 = below;
            bar.mark = chart.add(std::move(mark));
            bars[p].points.push_back(bar);
        }
        chart.table.rows.push_back(std::move(row));
    }
    if (chart.table.rows.empty())
        return {};
    prepare(chart, planned, batches.back()->value("batch", 0) + 1);
    double total = 0;
    for (const double one : all)
        total += one;
    chart.title = words(QT_TRANSLATE_NOOP("Training", "Time by phase"));
    for (std::size_t p = 0; p < bars.size(); ++p) {
        chart.table.columns.push_back({words(phases[p].title)});
        if (bars[p].points.empty())
            continue;
        bars[p].look = charts::Series::Look::Bars;
        bars[p].name = words(phases[p].title) + QLatin1Char(' ') + valueText(Kind::Share, all[p] / total);
        bars[p].ink = phases[p].ink;
        bars[p].pattern = phases[p].pattern;
        chart.series.push_back(std::move(bars[p]));
    }
    return chart;
}

} // namespace

std::vector<Chart> curvesOf(const learning::LoggedSteps& log, int planned)
{
    const auto batches = batchesOf(log);
    std::vector<Chart> out;
    for (const Curve& curve : curves)
        if (auto chart = curveOf(curve, batches, planned))
            out.push_back(std::move(*chart));
    if (auto chart = phasesOf(batches, planned))
        out.push_back(std::move(*chart));
    return out;
}

} // namespace cudal1::ui
