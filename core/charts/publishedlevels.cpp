// SPDX-License-Identifier: GPL-3.0-or-later
// What publications claim, by device and level, and what was found of the same rows.
#include "core/charts/builders.h"

namespace cudal1::charts {

namespace {

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

/// "A100", or the publication where its name tells no device, or two tell the same.
QString publicationName(const rejudge::PublishedClaims& published, const rejudge::ClaimLine& line)
{
    std::set<std::string> same;
    for (const rejudge::ClaimLine& other : published.levels)
        if (other.device == line.device)
            same.insert(other.source);
    return text(line.device.name.empty() || same.size() > 1 ? line.source : line.device.name);
}

/// The box of one summary at a row of the axis, with its median, geometric mean and maximum.
struct Boxes {
    Series box, median, mean, maximum;

    void add(const rejudge::ClockSummary& of, double at, double half, int mark)
    {
        const auto shown = [](double number) { return std::max(number, 0.1); }; // zeros lie at the edge
        Point point;
        point.mark = mark;
        point.x = shown(of.lowerQuartile);
        point.x2 = shown(of.upperQuartile);
        point.y = at - half;
        point.y2 = at + half;
        box.points.push_back(point);
        point.y = at;
        for (const auto& [series, number] :
             {std::pair(&median, of.median), std::pair(&mean, of.geometricMean), std::pair(&maximum, of.maximum)})
            if (number > 0) {
                point.x = number;
                series->points.push_back(point);
            }
    }
};

std::vector<ChartCell> cellsOf(const std::optional<rejudge::ClockSummary>& of)
{
    if (!of)
        return std::vector<ChartCell>(6);
    return {of->mean, of->geometricMean, of->maximum, of->upperQuartile, of->median, of->lowerQuartile};
}

QString hoverOf(const QString& name, const rejudge::ClaimLine& line)
{
    const auto numbers = [](const rejudge::ClockSummary& of) {
        return QStringLiteral("25 %  %1 · 50 %  %2 · 75 %  %3 · max %4, mean %5, geometric mean %6")
            .arg(speedupText(of.lowerQuartile), speedupText(of.median), speedupText(of.upperQuartile),
                 speedupText(of.maximum), speedupText(of.mean), speedupText(of.geometricMean));
    };
    QString out = QStringLiteral("%1: %2 with a claim of %3, %4 above 1.01")
                      .arg(name)
                      .arg(line.success)
                      .arg(line.rows)
                      .arg(line.above);
    if (line.claimed)
        out += QStringLiteral("\nclaimed: ") + numbers(*line.claimed);
    if (line.here)
        out += QStringLiteral("\nfound here, %1 of %2 correct: ").arg(line.correct).arg(line.judged) +
               numbers(*line.here);
    return out;
}

void addColumns(ChartData& table)
{
    for (const char* title : {"published", "device", "level"})
        table.columns.push_back({QString::fromLatin1(title), false});
    for (const char* title :
         {"rows", "success", "above 1.01", "mean", "geometric mean", "max", "75 %", "50 %", "25 %", "judged", "correct",
          "found mean", "found geometric mean", "found max", "found 75 %", "found 50 %", "found 25 %"})
        table.columns.push_back({QString::fromLatin1(title)});
}

/// `what`: "Speed-ups over eager".
QString claimedNote(const rejudge::PublishedClaims& published, const char* what)
{
    const bool byName = std::any_of(published.levels.begin(), published.levels.end(),
                                    [](const rejudge::ClaimLine& line) { return line.device.byFileName; });
    return QStringLiteral("%1 as they were published, by the publisher's clock and device%2; a row without one is %3.")
        .arg(QLatin1String(what),
             byName ? QStringLiteral(", which the files' names tell and not their rows") : QString(),
             ruleName(published.rule));
}

QString noteOf(const rejudge::PublishedClaims& published)
{
    QString note = claimedNote(published, "Speed-ups over eager");
    if (!published.deviceModel.empty())
        note += QStringLiteral(" What was found here is by the wall clock on %1, of the rows that were judged.")
                    .arg(text(published.deviceModel));
    return note;
}

} // namespace

Chart claimed(const Numbers& numbers)
{
    const rejudge::PublishedClaims& published = numbers.published;
    Chart chart;
    chart.kind = "claims";
    chart.title = QStringLiteral("Published claims by device and level");
    addColumns(chart.table);
    Boxes claims{{QStringLiteral("claimed, 25 % to 75 %"), Series::Look::Bars, Ink::Reference, 0, true, -1, {}},
                 {QStringLiteral("median"), Series::Look::Points, Ink::Text, 0, true, -1, {}},
                 {QStringLiteral("geometric mean"), Series::Look::Points, Ink::Text, 3, true, -1, {}, true},
                 {QStringLiteral("maximum"), Series::Look::Points, Ink::Text, 2, true, -1, {}}};
    Boxes found{{QStringLiteral("found here, 25 % to 75 %"), Series::Look::Bars, Ink::Variant, 1, true, -1, {}},
                {{}, Series::Look::Points, Ink::Variant, 0, true, -1, {}},
                {{}, Series::Look::Points, Ink::Variant, 3, true, -1, {}, true},
                {{}, Series::Look::Points, Ink::Variant, 2, true, -1, {}}};
    double least = 1, most = 1;
    for (const rejudge::ClaimLine& line : published.levels) {
        const QString level = line.level ? levelName(*line.level) : QStringLiteral("all");
        const QString name = QStringLiteral("%1, %2").arg(publicationName(published, line), level);
        std::vector<ChartCell> cells{text(line.source), text(line.device.name), level,
                                     double(line.rows), double(line.success),   double(line.above)};
        for (ChartCell& cell : cellsOf(line.claimed))
            cells.push_back(std::move(cell));
        cells.emplace_back(double(line.judged));
        cells.emplace_back(double(line.correct));
        for (ChartCell& cell : cellsOf(line.here))
            cells.push_back(std::move(cell));
        chart.table.rows.push_back(std::move(cells));
        const double at = double(chart.y.words.size()) + 0.5;
        chart.y.words << name;
        Mark mark;
        mark.key = "claims:" + line.source + ":" + level.toStdString();
        mark.hover = hoverOf(name, line);
        const int id = chart.add(std::move(mark));
        const bool both = line.claimed && line.here;
        for (const auto& [boxes, summary, place] :
             {std::tuple(&claims, &line.claimed, both ? -0.2 : 0.0), std::tuple(&found, &line.here, both ? 0.2 : 0.0)})
            if (*summary) {
                boxes->add(**summary, at + place, both ? 0.17 : 0.3, id);
                least = std::min(least, std::max((*summary)->lowerQuartile, 0.1));
                most = std::max(most, (*summary)->maximum);
            }
    }
    if (claims.box.points.empty() && found.box.points.empty()) {
        chart.empty = QStringLiteral(
            "No published results are in this project yet: the command \"cudal1 import\" takes them in");
        return chart;
    }
    chart.note = noteOf(published);
    chart.y.scale = AxisScale::Words;
    chart.y.high = double(chart.y.words.size());
    fitSpeedups(chart.x, least, most);
    chart.x.title = QStringLiteral("speed-up over eager (logarithmic)");
    chart.rules.push_back({1, true, {}, Rule::Look::Solid, 0});
    for (Boxes* boxes : {&claims, &found})
        for (Series* series : {&boxes->box, &boxes->median, &boxes->mean, &boxes->maximum})
            if (!series->points.empty())
                chart.series.push_back(std::move(*series));
    return chart;
}

Chart claimedMeans(const Numbers& numbers)
{
    const rejudge::PublishedClaims& published = numbers.published;
    Chart chart;
    chart.kind = "claimed-means";
    chart.title = QStringLiteral("Mean speed-up that is claimed, by device");
    for (const char* title : {"published", "device", "over"})
        chart.table.columns.push_back({QString::fromLatin1(title), false});
    for (const char* title : {"rows", "success", "mean", "geometric mean"})
        chart.table.columns.push_back({QString::fromLatin1(title)});
    Series mean{QStringLiteral("arithmetic mean"), Series::Look::Bars, Ink::Variant, 0, true, -1, {}};
    Series geometric{QStringLiteral("geometric mean"), Series::Look::Points, Ink::Text, 3, true, -1, {}, true};
    double most = 1;
    for (const rejudge::ClaimLine& line : published.others) {
        if (!line.claimed)
            continue;
        const QString name = QStringLiteral("%1, over %2").arg(publicationName(published, line), text(line.over));
        chart.table.rows.push_back({text(line.source), text(line.device.name), text(line.over), double(line.rows),
                                    double(line.success), line.claimed->mean, line.claimed->geometricMean});
        const double at = double(chart.y.words.size()) + 0.5;
        chart.y.words << name;
        chart.y.ends << speedupText(line.claimed->mean);
        Mark mark;
        mark.key = "claims:" + line.source + ":" + line.over;
        mark.hover = QStringLiteral("%1: mean %2, geometric mean %3, of %4 with a claim of %5")
                         .arg(name, speedupText(line.claimed->mean), speedupText(line.claimed->geometricMean))
                         .arg(line.success)
                         .arg(line.rows);
        Point point;
        point.mark = chart.add(std::move(mark));
        point.x = 0;
        point.x2 = line.claimed->mean;
        point.y = at - 0.3;
        point.y2 = at + 0.3;
        mean.points.push_back(point);
        point.x = line.claimed->geometricMean;
        point.y = at;
        geometric.points.push_back(point);
        most = std::max(most, line.claimed->mean);
    }
    if (mean.points.empty()) {
        chart.empty = claimed(numbers).empty;
        return chart;
    }
    chart.note = claimedNote(published, "Speed-ups") +
                 QStringLiteral(" A few high claims make the arithmetic mean, which the paper shows.");
    chart.y.scale = AxisScale::Words;
    chart.y.high = double(chart.y.words.size());
    chart.x.high = most * 1.05;
    chart.x.speedups = true;
    chart.x.title = QStringLiteral("mean speed-up");
    chart.rules.push_back({1, true, {}, Rule::Look::Solid, 0});
    chart.series = {std::move(mean), std::move(geometric)};
    return chart;
}

} // namespace cudal1::charts
