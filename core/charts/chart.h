// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as plain values: series, axes, marked lines, what each mark stands for, and the same as a table.
//
// Builders (chartof.h) fill it from a project, layOut() (chartlayout.h) makes a Drawing of it for any size, and svgOf()
// or the window's painter puts that drawing on paper or screen. So what is exported is what is seen.
#pragma once

#include "core/base/ids.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cudal1::charts {

/// What a colour means; the window's theme and palettes of files give it a value. Colour is never the only sign of
/// anything.
enum class Ink { Surface, Text, Muted, Grid, Reference, Variant, Gain, Loss, Warning, Level0, Level1, Level2, Level3 };
Ink levelInk(int level); ///< 0 for single files; levels above 3 share the ink of 3

/// What a mark stands for: what pointing at it says and what a click filters by.
struct Mark {
    std::string key;                 ///< stable while the numbers change: "level:1", "range:1.25"
    QString hover;                   ///< lines of text
    QString chip;                    ///< the filter in few words: "1.25× to 1.56×"; empty: nothing to filter by
    std::vector<base::TaskId> tasks; ///< the tasks that remain after a click
    std::string technique;           ///< of the variants that are meant; empty: any
    std::string deviceModel;
    base::RunId run;
    base::VariantId variant; ///< where it is a single one, of the single task
};

enum class AxisScale { Linear, Share, Logarithmic, Words };

struct Axis {
    AxisScale scale = AxisScale::Linear; ///< Share: 0 to 1, labelled in percent
    double low = 0, high = 1;            ///< of Words: the number of words is high, word i lies at i + 0.5
    QString title;
    QStringList words;
    QStringList ends;      ///< for a vertical axis of words: a number for each, at the far end of its row; may be empty
    bool speedups = false; ///< labels end in a times sign
    bool whole = false;    ///< only whole numbers are labelled
};

/// A line at a value of an axis.
struct Rule {
    double at = 1;
    bool vertical = true;
    QString label; ///< empty: none
    enum class Look { Solid, Dashed, Dotted, Faint } look = Look::Solid;
    int place = 0; ///< the side of its line where a label would rather stand: -1 the left, else the right
};

struct Point {
    double x = 0, y = 0;
    double x2 = 0, y2 = 0;       ///< bars and cells: the opposite corner
    double low = 0, high = 0;    ///< interval on the value axis; none unless low < high; of steps: a band
    int mark = -1;               ///< into Chart::marks
    QString text = {};           ///< inside of a cell
    std::optional<Ink> ink = {}; ///< where it is not the series'
    double strength = 1;         ///< of a cell's ink, 0 to 1
    bool hollow = false;         ///< the mark is an outline, as those of a hollow series
};

struct Series {
    QString name; ///< in the legend; empty: not in it
    /// Steps go along an axis from point to point, Lines straight.
    enum class Look { Bars, Steps, Lines, Points, Cells } look = Look::Points;
    Ink ink = Ink::Variant;
    int pattern = 0; ///< hatch or shape (0 to 3) or dash (0 to 4), so that series differ without colour
    bool intervalAlongX = false;
    int mark = -1; ///< of its entry in the legend
    std::vector<Point> points;
    bool hollow = false; ///< marks are outlines
};

struct ChartColumn {
    QString title;
    bool number = true;
};
using ChartCell = std::variant<std::monostate, double, QString>; ///< empty where there is no number

/// The chart in words and numbers: its text alternative, and what CSV holds.
struct ChartData {
    std::vector<ChartColumn> columns;
    std::vector<std::vector<ChartCell>> rows;
};

struct Chart {
    std::string kind; ///< "distribution"
    QString title;
    QString note;  ///< one or two sentences: of how many, by which rule, what is left out
    QString empty; ///< why there is nothing to see; then there are no series
    Axis x, y;
    std::vector<Rule> rules;
    bool diagonal = false;      ///< the line of equal values
    std::vector<Series> series; ///< drawn in this order
    std::vector<Mark> marks;
    ChartData table;

    bool isEmpty() const { return series.empty(); }
    int add(Mark mark)
    {
        marks.push_back(std::move(mark));
        return int(marks.size()) - 1;
    }
    /// Title, note and the numbers of the table in words, for those who do not see the picture.
    QString inWords() const;
};

/// RFC 4180, UTF-8, numbers with a decimal point.
QString csvOf(const ChartData& table);
/// One JSON object: kind, title, note, axes, series with points, and the table.
std::string jsonOf(const Chart& chart);
/// A cell as people read it.
QString textOf(const ChartCell& cell);

} // namespace cudal1::charts
