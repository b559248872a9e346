// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as text: words, CSV, JSON.
#include "core/charts/chart.h"

#include "core/base/csv.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace cudal1::charts {

using nlohmann::json;

namespace {

/// Enough rows to follow a chart by ear; the table has them all.
constexpr std::size_t rowsInWords = 12;

json jsonOf(const ChartCell& cell)
{
    if (const auto* number = std::get_if<double>(&cell))
        return std::isfinite(*number) ? json(*number) : json();
    if (const auto* text = std::get_if<QString>(&cell))
        return text->toStdString();
    return {};
}

json jsonOf(const Axis& axis)
{
    json out{{"title", axis.title.toStdString()}, {"low", axis.low}, {"high", axis.high}};
    out["scale"] = axis.scale == AxisScale::Logarithmic ? "logarithmic"
                 : axis.scale == AxisScale::Words       ? "words"
                                                        : "linear";
    if (axis.scale == AxisScale::Words)
        for (const QString& word : axis.words)
            out["words"].push_back(word.toStdString());
    return out;
}

json jsonOf(const Point& point, const Series& series, const Chart& chart)
{
    json out{{"x", point.x}, {"y", point.y}};
    if (series.look == Series::Look::Bars || series.look == Series::Look::Cells) {
        out["x2"] = point.x2;
        out["y2"] = point.y2;
    }
    if (point.low < point.high) {
        out["low"] = point.low;
        out["high"] = point.high;
    }
    if (!point.text.isEmpty())
        out["text"] = point.text.toStdString();
    if (point.mark >= 0) {
        const Mark& mark = chart.marks[std::size_t(point.mark)];
        out["says"] = mark.hover.toStdString();
        if (mark.variant)
            out["variant"] = mark.variant.value;
    }
    return out;
}

} // namespace

Ink levelInk(int level)
{
    constexpr Ink inks[]{Ink::Level0, Ink::Level1, Ink::Level2, Ink::Level3};
    return inks[std::clamp(level, 0, 3)];
}

QString textOf(const ChartCell& cell)
{
    if (const auto* text = std::get_if<QString>(&cell))
        return *text;
    if (const auto* number = std::get_if<double>(&cell); number && std::isfinite(*number)) {
        const double rounded = std::round(*number);
        return *number == rounded && std::abs(*number) < 1e9 ? QString::number(qint64(rounded))
                                                             : QString::number(*number, 'g', 4);
    }
    return QStringLiteral("–");
}

QString Chart::inWords() const
{
    QStringList out{title + QLatin1Char('.')};
    if (!note.isEmpty())
        out << note;
    if (isEmpty()) {
        out << empty;
        return out.join(QLatin1Char(' '));
    }
    for (std::size_t row = 0; row < std::min(rowsInWords, table.rows.size()); ++row) {
        QStringList cells;
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            if (!std::holds_alternative<std::monostate>(table.rows[row][column]))
                cells << QStringLiteral("%1 %2").arg(table.columns[column].title, textOf(table.rows[row][column]));
        out << cells.join(QStringLiteral(", ")) + QLatin1Char('.');
    }
    if (table.rows.size() > rowsInWords)
        out << QStringLiteral("%1 more rows are in the table.").arg(table.rows.size() - rowsInWords);
    return out.join(QLatin1Char(' '));
}

QString csvOf(const ChartData& table)
{
    QString out;
    const auto line = [&out](const QStringList& cells) {
        out += cells.join(QLatin1Char(',')) + QStringLiteral("\r\n");
    };
    QStringList titles;
    for (const ChartColumn& column : table.columns)
        titles << QString::fromStdString(base::csvField(column.title.toStdString()));
    line(titles);
    for (const std::vector<ChartCell>& row : table.rows) {
        QStringList cells;
        for (const ChartCell& cell : row) {
            if (const auto* number = std::get_if<double>(&cell))
                cells << (std::isfinite(*number) ? QString::fromStdString(base::csvField(*number)) : QString());
            else if (const auto* text = std::get_if<QString>(&cell))
                cells << QString::fromStdString(base::csvField(text->toStdString()));
            else
                cells << QString();
        }
        line(cells);
    }
    return out;
}

std::string jsonOf(const Chart& chart)
{
    json out{{"chart", chart.kind}, {"title", chart.title.toStdString()}, {"note", chart.note.toStdString()}};
    if (chart.isEmpty())
        out["empty"] = chart.empty.toStdString();
    out["x"] = jsonOf(chart.x);
    out["y"] = jsonOf(chart.y);
    out["rules"] = json::array();
    for (const Rule& rule : chart.rules)
        if (!rule.label.isEmpty())
            out["rules"].push_back({{"at", rule.at}, {"label", rule.label.toStdString()}});
    out["series"] = json::array();
    for (const Series& series : chart.series) {
        json points = json::array();
        for (const Point& point : series.points)
            points.push_back(jsonOf(point, series, chart));
        out["series"].push_back({{"name", series.name.toStdString()}, {"points", std::move(points)}});
    }
    json& table = out["table"] = json::array();
    for (const std::vector<ChartCell>& row : chart.table.rows) {
        json object = json::object();
        for (std::size_t column = 0; column < row.size(); ++column)
            object[chart.table.columns[column].title.toStdString()] = jsonOf(row[column]);
        table.push_back(std::move(object));
    }
    return out.dump(2, ' ', false, json::error_handler_t::replace);
}

} // namespace cudal1::charts
