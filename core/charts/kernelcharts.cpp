// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as points under a roof, and as pairs of bars.
#include "core/charts/kernelcharts.h"

#include "core/base/bytestext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cudal1::charts {

using counters::KernelFacts;
using counters::RoofPoint;
using protocol::KernelMetrics;

namespace {

constexpr double tera = 1e12;
constexpr double leastShare = 0.01; ///< of the kernels' time, for a point of its own
constexpr std::size_t mostBars = 10;
constexpr std::array inks{Ink::Reference, Ink::Variant};

QString rateWords(double operations)
{
    const bool isTera = operations >= tera;
    return QString::fromStdString(counters::threeDigitsText(operations / (isTera ? tera : 1e9))) +
           (isTera ? QStringLiteral(" TFLOP/s") : QStringLiteral(" GFLOP/s"));
}

double tenths(double value)
{
    return std::round(value * 10) / 10;
}

ChartCell numberCell(const std::optional<double>& value, double factor = 1)
{
    return value ? ChartCell(tenths(*value * factor)) : ChartCell();
}

ChartCell countedCell(const KernelFacts& facts, std::optional<double> KernelMetrics::*value)
{
    return facts.row.measured ? numberCell((*facts.row.measured).*value, 100) : ChartCell();
}

void addTable(Chart& chart, std::span<const KernelSide> sides)
{
    const std::pair<const char*, bool> columns[] = {
        {"side", false},      {"kernel", false},     {"ms a call", true},  {"share %", true},
        {"times", true},      {"occupancy %", true}, {"at most %", true},  {"limited by", false},
        {"waves", true},      {"DRAM %", true},      {"DRAM GB/s", true},  {"L2 %", true},
        {"L2 GB/s", true},    {"L1 %", true},        {"L1 GB/s", true},    {"shared %", true},
        {"tensor %", true},   {"FP32 %", true},      {"warps are", false}, {"% of their time", true},
        {"held up by", false}};
    for (const auto& [title, number] : columns)
        chart.table.columns.push_back({QString::fromUtf8(title), number});
    for (const KernelSide& side : sides)
        for (const KernelFacts& one : side.facts.kernels) {
            const auto waits = one.row.measured ? counters::waitsOf(*one.row.measured)
                                                : std::vector<std::pair<std::string, double>>();
            const auto& fit = one.occupancy;
            chart.table.rows.push_back(
                {side.name,
                 QString::fromStdString(counters::shortName(one.row.name, 100)),
                 one.row.time_ns / 1e6,
                 tenths(one.share * 100),
                 tenths(one.row.launches),
                 countedCell(one, &KernelMetrics::occupancy),
                 fit ? ChartCell(tenths(fit->share * 100)) : ChartCell(),
                 fit ? ChartCell(QString::fromStdString(counters::limiterText(*fit, one.row.launch))) : ChartCell(),
                 fit && fit->waves > 0 ? ChartCell(tenths(fit->waves)) : ChartCell(),
                 countedCell(one, &KernelMetrics::dramUse),
                 numberCell(one.dram_rate, 1e-9),
                 countedCell(one, &KernelMetrics::l2Use),
                 numberCell(one.l2_rate, 1e-9),
                 countedCell(one, &KernelMetrics::l1Use),
                 numberCell(one.l1_rate, 1e-9),
                 countedCell(one, &KernelMetrics::sharedUse),
                 countedCell(one, &KernelMetrics::tensorUse),
                 countedCell(one, &KernelMetrics::fp32Use),
                 waits.empty() ? ChartCell()
                               : ChartCell(QString::fromStdString(counters::stallText(waits.front().first))),
                 waits.empty() ? ChartCell() : ChartCell(tenths(waits.front().second * 100)),
                 QString::fromStdString(one.held)});
        }
}

/// The ranges of both axes: all points, and the roofs to the right of where they bend.
void fitAxes(Chart& chart, const std::vector<RoofPoint>& points, const counters::Roofs& roofs)
{
    const double peak = std::max(roofs.fp32, roofs.tf32), bend = peak / roofs.bytesPerSecond;
    double left = bend / 30, right = bend * 3, low = roofs.bytesPerSecond * left, high = peak * 2;
    for (const RoofPoint& point : points) {
        left = std::min(left, point.intensity / 2);
        right = std::max(right, point.intensity * 2);
        low = std::min(low, point.rate / 2);
        high = std::max(high, point.rate * 2);
    }
    chart.x = {AxisScale::Logarithmic, left, right, QStringLiteral("operations per byte of memory"), {}, {}};
    chart.y = {AxisScale::Logarithmic, low / tera, high / tera, QStringLiteral("TFLOP/s"), {}, {}};
}

/// Memory's slope up to the pipe's height, cut at the axes.
Series roofOf(const Chart& chart, double bytesPerSecond, double peak, const QString& name, int pattern)
{
    Series roof{name, Series::Look::Lines, Ink::Muted, pattern, false, -1, {}};
    const double from = std::max(chart.x.low, chart.y.low * tera / bytesPerSecond), bend = peak / bytesPerSecond;
    if (bend > from)
        roof.points.push_back({from, bytesPerSecond * from / tera});
    roof.points.push_back({std::max(bend, from), peak / tera});
    roof.points.push_back({chart.x.high, peak / tera});
    return roof;
}

Point pointOf(Chart& chart, const RoofPoint& place, const QString& what, const std::string& key)
{
    Mark mark;
    mark.key = key;
    mark.hover = QStringLiteral("%1\n%2 at %3 operations a byte")
                     .arg(what, rateWords(place.rate),
                          QString::fromStdString(counters::threeDigitsText(place.intensity)));
    Point point;
    point.x = place.intensity;
    point.y = place.rate / tera;
    point.mark = chart.add(std::move(mark));
    return point;
}

/// Whether one kernel is nearly all of a call, so that a mark of the call would cover the kernel's.
bool isOneKernel(const counters::SideFacts& facts)
{
    constexpr double nearlyAll = 0.95;
    return std::ranges::any_of(facts.kernels,
                               [](const KernelFacts& one) { return one.roof && one.share >= nearlyAll; });
}

void addSide(Chart& chart, const KernelSide& side, std::size_t number)
{
    const Ink ink = inks[std::min(number, inks.size() - 1)];
    Series kernels{side.name, Series::Look::Points, ink, int(number), false, -1, {}};
    for (const KernelFacts& one : side.facts.kernels)
        if (one.roof && one.share >= leastShare)
            kernels.points.push_back(
                pointOf(chart, *one.roof,
                        QStringLiteral("%1: %2, %3 of the kernels' time")
                            .arg(side.name, QString::fromStdString(counters::shortName(one.row.name)),
                                 QString::fromStdString(base::percentText(one.share))),
                        "kernel:" + std::to_string(number) + ":" + one.row.name));
    if (!kernels.points.empty())
        chart.series.push_back(std::move(kernels));
    if (!side.facts.roof || isOneKernel(side.facts))
        return;
    const bool hasKernels = !chart.series.empty() && chart.series.back().ink == ink;
    Series whole{hasKernels ? QString() : side.name, Series::Look::Points, ink, 3, false, -1, {}};
    whole.hollow = number == 0;
    whole.points.push_back(pointOf(
        chart, *side.facts.roof,
        QStringLiteral("%1: all kernels of a call%2")
            .arg(side.name, side.facts.roofIsCounted ? QString() : QStringLiteral(", by the operators as written")),
        "call:" + std::to_string(number)));
    chart.series.push_back(std::move(whole));
}

} // namespace

Chart roofline(std::span<const KernelSide> sides, const counters::Roofs& roofs)
{
    Chart chart;
    chart.kind = "roofline";
    chart.title = QStringLiteral("Roofline");
    addTable(chart, sides);
    std::vector<RoofPoint> points;
    bool isCounted = true, isSideBySide = false, hasCalls = false;
    for (const KernelSide& side : sides) {
        for (const KernelFacts& one : side.facts.kernels)
            if (one.roof && one.share >= leastShare)
                points.push_back(*one.roof);
        if (side.facts.roof && !isOneKernel(side.facts)) {
            hasCalls = true;
            isCounted = isCounted && side.facts.roofIsCounted;
            points.push_back(*side.facts.roof);
            isSideBySide = isSideBySide || side.facts.together_ns < side.facts.kernels_ns;
        }
    }
    if (roofs.bytesPerSecond <= 0 || roofs.fp32 <= 0) {
        chart.empty = QStringLiteral("No data sheet is known of this device, so there are no roofs");
        return chart;
    }
    if (points.empty()) {
        chart.empty = QStringLiteral("Neither counts nor the task's operators say how much is computed");
        return chart;
    }
    const QString memory = QString::fromStdString(base::rateText(roofs.bytesPerSecond));
    chart.note = QStringLiteral("%1 of memory and the pipes' peaks are of the data sheet of %2.")
                     .arg(memory, QString::fromStdString(roofs.gpu));
    if (hasCalls)
        chart.note += QStringLiteral(" A diamond is all kernels of a call together.");
    if (!isCounted)
        chart.note += QStringLiteral(" It stands where its reference's operators as written, and the bytes that any "
                                     "implementation must move, put it in its kernels' time.");
    if (isSideBySide)
        chart.note += QStringLiteral(" Where kernels' times add up to more than the call, the call's time takes their "
                                     "place.");
    fitAxes(chart, points, roofs);
    chart.series.push_back(
        roofOf(chart, roofs.bytesPerSecond, roofs.fp32, QStringLiteral("FP32 %1").arg(rateWords(roofs.fp32)), 0));
    if (roofs.tf32 > roofs.fp32)
        chart.series.push_back(
            roofOf(chart, roofs.bytesPerSecond, roofs.tf32, QStringLiteral("TF32 %1").arg(rateWords(roofs.tf32)), 1));
    for (std::size_t i = 0; i < sides.size(); ++i)
        addSide(chart, sides[i], i);
    return chart;
}

Chart kernelChanges(std::span<const counters::KernelChange> changes, const QString& a, const QString& b)
{
    Chart chart;
    chart.kind = "kernels";
    chart.title = QStringLiteral("Kernel by kernel");
    double most = 0;
    for (const counters::KernelChange& one : changes)
        most = std::max({most, one.a_ns, one.b_ns});
    const double from = changes.empty() ? 0 : changes.front().aCall_ns,
                 to = changes.empty() ? 0 : changes.front().bCall_ns;
    const QString gain = to > from ? QStringLiteral("of the loss") : QStringLiteral("of the gain");
    const QString titles[] = {QStringLiteral("kernel"),    a + QStringLiteral(" ms"),
                              b + QStringLiteral(" ms"),   QStringLiteral("difference ms"),
                              QStringLiteral("% ") + gain, a + QStringLiteral(" times"),
                              b + QStringLiteral(" times")};
    for (const QString& title : titles)
        chart.table.columns.push_back({title, !chart.table.columns.empty()});
    for (const counters::KernelChange& one : changes)
        chart.table.rows.push_back({QString::fromStdString(counters::shortName(one.name, 100)), one.a_ns / 1e6,
                                    one.b_ns / 1e6, -one.gained_ns() / 1e6, tenths(one.share * 100),
                                    tenths(one.aLaunches), tenths(one.bLaunches)});
    if (most <= 0) {
        chart.empty = QStringLiteral("No kernel ran");
        return chart;
    }
    chart.note = QStringLiteral("A call takes %1 in %2 and %3 in %4.")
                     .arg(QString::fromStdString(base::timeText(from)), a, QString::fromStdString(base::timeText(to)),
                          b);
    chart.y = {AxisScale::Words, 0, 0, {}, {}, {}};
    chart.x = {AxisScale::Linear, 0, most / 1e6 * 1.05, QStringLiteral("ms a call"), {}, {}};
    Series before{a, Series::Look::Bars, inks[0], 0, false, -1, {}},
        after{b, Series::Look::Bars, inks[1], 1, false, -1, {}};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (i >= mostBars && i + 1 < changes.size())
            continue;
        const counters::KernelChange& one = changes[i];
        const double row = double(chart.y.words.size());
        chart.y.words << QString::fromStdString(counters::shortName(one.name, 100));
        chart.y.ends << QStringLiteral("%1%2").arg(one.gained_ns() < 0 ? QStringLiteral("+") : QString(),
                                                   QString::fromStdString(base::timeText(-one.gained_ns())));
        Mark mark;
        mark.key = "kernel:" + one.name;
        mark.hover = QStringLiteral("%1\n%2: %3\n%4: %5\n%6 %7")
                         .arg(QString::fromStdString(counters::shortName(one.name)), a,
                              QString::fromStdString(base::timeText(one.a_ns)), b,
                              QString::fromStdString(base::timeText(one.b_ns)),
                              QString::fromStdString(base::percentText(one.share)), gain);
        const int number = chart.add(std::move(mark));
        for (auto [series, time_ns, top] :
             {std::tuple(&before, one.a_ns, row + 0.12), std::tuple(&after, one.b_ns, row + 0.5)}) {
            Point point;
            point.x = 0;
            point.y = top;
            point.x2 = std::max(0.0, time_ns / 1e6);
            point.y2 = top + 0.38;
            point.mark = number;
            series->points.push_back(point);
        }
    }
    chart.y.high = double(chart.y.words.size());
    chart.series = {std::move(before), std::move(after)};
    return chart;
}

} // namespace cudal1::charts
