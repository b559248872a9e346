// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a chart: title, legend, axes.
#include "core/charts/chartlayout.h"

#include "core/charts/histogram.h"
#include "core/charts/layoutframe.h"

#include <algorithm>
#include <cmath>

namespace cudal1::charts {

namespace {

constexpr double titleRow = 1.25; ///< height of a line of an axis title, in parts of the font

/// Widths of a wide common font, in parts of its height.
double widthOf(QChar c)
{
    const char16_t code = c.unicode();
    if (code >= u'0' && code <= u'9')
        return 0.64;
    if (code == u' ')
        return 0.32;
    if (QStringView(u"iljI|.,:;'!").contains(c))
        return 0.34;
    if (QStringView(u"ftr()[]-/\"").contains(c))
        return 0.46;
    if (QStringView(u"mwMW%@").contains(c))
        return 0.99;
    if (c.isUpper())
        return 0.75;
    if (code < 0x250)
        return code == 0xd7 ? 0.84 : 0.62;
    return 1;
}

QString elided(const QString& text, double width, double font)
{
    if (textWidth(text, font) <= width)
        return text;
    QString out = text;
    while (!out.isEmpty() && textWidth(out, font) + font > width)
        out.chop(1);
    return out.trimmed() + QChar(0x2026);
}

/// Names of kernels and tasks are alike at their beginnings.
QString elidedInMiddle(const QString& text, double width, double font)
{
    QString out = text;
    for (qsizetype kept = text.size() - 1; kept > 0 && textWidth(out, font) > width; --kept)
        out = text.left((kept + 1) / 2) + QChar(0x2026) + text.right(kept / 2);
    return out;
}

/// So many letters as fit.
qsizetype lettersIn(const QString& text, double width, double font)
{
    qsizetype letters = text.size();
    while (letters > 1 && textWidth(text.left(letters), font) > width)
        --letters;
    return letters;
}

/// Both names in one line, so that each can still be told from others: the longer one gives way first.
QString elidedPair(const QString& first, const QString& second, double width, double font)
{
    const QString plus = QStringLiteral(" + ");
    const double room = width - textWidth(plus, font), half = room / 2;
    const double own = textWidth(first, font), other = textWidth(second, font);
    const double left = std::min(own, std::max(half, room - other));
    return elided(first, left, font) + plus + elided(second, room - left, font);
}

QStringList wrapped(const QString& text, double width, double font, int most)
{
    QStringList lines;
    QString line;
    for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        if (!line.isEmpty() && int(lines.size()) + 1 < most && textWidth(longer, font) > width) {
            lines << line;
            line = word;
        } else {
            line = longer;
        }
    }
    if (!line.isEmpty())
        lines << elided(line, width, font);
    return lines;
}

/// The title of the horizontal axis. Where it does not fit, its "(logarithmic)" goes first, since the labels show that.
QStringList titleLines(const Frame& frame)
{
    const double room = frame.drawing.size.width() - frame.drawing.plot.left();
    QString title = frame.chart.x.title;
    if (textWidth(title, frame.font) > room)
        title.remove(QLatin1String(" (logarithmic)"));
    return wrapped(title, room, frame.font, 2);
}

struct Label {
    double at;
    QString text;
};

QString labelOf(const Axis& axis, double value)
{
    if (axis.scale == AxisScale::Share)
        return QString::number(std::round(value * 1000) / 10) + QStringLiteral(" %");
    return axis.speedups ? QString::number(value, 'g', 3) + QChar(0xd7) : QString::number(value, 'g', 9);
}

std::vector<Label> labelsOf(const Axis& axis, int most)
{
    std::vector<Label> labels;
    if (axis.scale == AxisScale::Words) { // all of them: a name left out is a mark without one
        for (qsizetype i = 0; i < axis.words.size(); ++i)
            labels.push_back({double(i) + 0.5, axis.words[i]});
        return labels;
    }
    const std::vector<double> ticks = axis.scale == AxisScale::Logarithmic
                                        ? axisTicks(axis.low, axis.high, std::clamp(most, 2, 12))
                                        : linearTicks(axis.low, axis.high, std::max(2, most), axis.whole);
    for (const double tick : ticks)
        labels.push_back({tick, labelOf(axis, tick)});
    return labels;
}

void drawHead(Frame& frame, double& top)
{
    const double width = frame.drawing.size.width();
    const double size = frame.font * 1.2;
    top += size;
    frame.text({0, top}, elided(frame.chart.title, width / 1.12, size), Ink::Text, DrawnShape::Anchor::Start, size)
        .bold = true;
    const int lines = frame.drawing.size.height() < 28 * frame.font ? 2 : 3; // the plot matters more
    for (const QString& line : wrapped(frame.chart.note, width, frame.font, lines)) {
        top += frame.font * 1.45;
        frame.text({0, top}, line, Ink::Muted);
    }
    top += frame.font * 0.5;
}

/// The sign of a series as it looks in the plot.
void drawSample(Frame& frame, const Series& series, double x, double baseline)
{
    const double side = frame.font * 0.95, middle = baseline - frame.font * 0.35;
    if (series.look == Series::Look::Steps || series.look == Series::Look::Lines) {
        DrawnShape& line = frame.line({x, middle}, {x + 2 * side, middle}, series.ink, std::max(1.5, frame.font / 7));
        line.dash = dashOf(series.pattern);
    } else if (series.look == Series::Look::Points) {
        frame.marker({x + side, middle}, series, series.hollow, series.ink, frame.font * 0.36, -1);
    } else {
        const QRectF box(x + side / 2, middle - side / 2, side, side);
        frame.rectangle(box, series.ink);
        frame.hatch(box, series.pattern, -1);
    }
}

void drawLegend(Frame& frame, double& top)
{
    const bool one = std::count_if(frame.chart.series.begin(), frame.chart.series.end(),
                                   [](const Series& series) { return !series.name.isEmpty(); }) < 2;
    if (one)
        return;
    const double row = frame.font * 1.5, sample = frame.font * 2.4;
    double x = 0;
    top += row;
    for (const Series& series : frame.chart.series) {
        if (series.name.isEmpty())
            continue;
        const double width = sample + textWidth(series.name, frame.font);
        if (x > 0 && x + width > frame.drawing.size.width()) {
            x = 0;
            top += row;
        }
        drawSample(frame, series, x, top);
        frame.text({x + sample, top}, series.name, Ink::Text);
        if (series.mark >= 0) {
            const QRectF area(x, top - frame.font * 1.1, width, row);
            frame.target(area, area.center(), series.mark);
        }
        x += width + frame.font * 1.2;
    }
    top += frame.font * 0.4;
}

void drawAxes(Frame& frame, const std::vector<Label>& ys, double leftRoom)
{
    const QRectF& plot = frame.drawing.plot;
    const Axis &x = frame.chart.x, &y = frame.chart.y;
    const bool cells = x.scale == AxisScale::Words;
    for (const Label& label : ys) {
        const double at = frame.yOf(label.at);
        if (y.scale != AxisScale::Words)
            frame.line({plot.left(), at}, {plot.right(), at}, Ink::Grid);
        const QPointF end(plot.left() - frame.unit * 1.5, at + frame.font * 0.35);
        // Smaller where rows are lower than a line.
        const double rowFont = y.scale == AxisScale::Words ? std::clamp(plot.height() / double(y.words.size()) / 1.05,
                                                                        0.6 * frame.font, frame.font)
                                                           : frame.font;
        const auto write = [&](double lines, const QString& text, double font) {
            frame.text(end + QPointF(0, lines * font), elidedInMiddle(text, leftRoom, font),
                       y.scale == AxisScale::Words ? Ink::Text : Ink::Muted, DrawnShape::Anchor::End, font);
        };
        // Two names that do not fit beside each other stand in two lines, smaller ones if need be, and so do two words,
        // and a long one.
        const bool wide = y.scale == AxisScale::Words && textWidth(label.text, frame.font) > leftRoom;
        const double linesOfRow = wide ? plot.height() / (frame.font * double(y.words.size())) : 0;
        const qsizetype plus = wide ? label.text.indexOf(QLatin1String(" + ")) : -1;
        if (const qsizetype space = label.text.lastIndexOf(u' '); plus <= 0 && linesOfRow >= 1.9 && space > 0) {
            write(-0.56, label.text.left(space), frame.font);
            write(0.56, label.text.mid(space + 1), frame.font);
        } else if (plus <= 0 && linesOfRow >= 1.9) {
            const qsizetype first = lettersIn(label.text, leftRoom, frame.font);
            write(-0.56, label.text.left(first), frame.font);
            write(0.56, label.text.mid(first), frame.font);
        } else if (plus <= 0) {
            const double fitting = y.scale == AxisScale::Words ? rowFont * leftRoom / textWidth(label.text, rowFont)
                                                               : rowFont;
            write(0, label.text, std::clamp(fitting, std::min(0.82 * frame.font, rowFont), rowFont));
        } else if (linesOfRow >= 1.9) {
            const QString first = label.text.left(plus + 2), second = label.text.mid(plus + 3);
            const double fitting = 0.98 * leftRoom / std::max(textWidth(first, 1), textWidth(second, 1));
            const double font = linesOfRow >= 2.1 ? std::clamp(fitting, 0.82 * frame.font, frame.font)
                                                  : 0.82 * frame.font;
            write(-0.56, first, font); // clear of each other's underscores
            write(0.56, second, font);
        } else {
            write(0, elidedPair(label.text.left(plus), label.text.mid(plus + 3), leftRoom, rowFont), rowFont);
        }
    }
    for (qsizetype i = 0; i < y.ends.size(); ++i)
        frame.text({frame.drawing.size.width(), frame.yOf(double(i) + 0.5) + frame.font * 0.35}, y.ends[i], Ink::Text,
                   DrawnShape::Anchor::End);
    const double room = cells ? plot.width() / std::max<qsizetype>(1, x.words.size()) : frame.font * 5;
    double free = -1e9;
    for (const Label& label : labelsOf(x, std::max(2, int(plot.width() / room)))) {
        const double at = frame.xOf(label.at);
        const QString words = cells ? elided(label.text, room - frame.unit, frame.font) : label.text;
        const double half = textWidth(words, frame.font) / 2;
        if (!cells) {
            if (y.scale == AxisScale::Words)
                frame.line({at, plot.top()}, {at, plot.bottom()}, Ink::Grid);
            frame.line({at, plot.bottom()}, {at, plot.bottom() + frame.unit}, Ink::Muted);
        }
        if (at - half < free)
            continue;
        free = at + half + frame.unit;
        frame.text({at, plot.bottom() + frame.unit + frame.font * 1.05}, words, cells ? Ink::Text : Ink::Muted,
                   DrawnShape::Anchor::Middle);
    }
    if (!cells)
        frame.line(plot.bottomLeft(), plot.bottomRight(), Ink::Muted);
    double baseline = plot.bottom() + frame.unit + frame.font * 2.5;
    for (const QString& line : titleLines(frame)) {
        frame.text({plot.center().x(), baseline}, line, Ink::Muted, DrawnShape::Anchor::Middle);
        baseline += frame.font * titleRow;
    }
}

/// What stands around the plot: labels of the vertical axis, the room for their words, and rows above it.
struct PlotRoom {
    std::vector<Label> ys;
    double words = 0;
    LabelRows above;
};

/// Places the plot below `top`. How wide it is depends on how high it is, how many rows are above it on how wide.
PlotRoom fitPlot(Frame& frame, double top)
{
    const Chart& chart = frame.chart;
    const QSizeF& size = frame.drawing.size;
    double right = frame.font * 1.2;
    for (const QString& end : chart.y.ends)
        right = std::max(right, textWidth(end, frame.font) + frame.unit * 2);
    PlotRoom room;
    int rows = chart.y.title.isEmpty() ? 0 : 1;
    qsizetype below = chart.x.title.isEmpty() ? 0 : 1; // lines of the title there
    while (true) {
        const double upper = top + frame.font * (rows > 0 ? 0.6 + Frame::rowHeight * rows : 0.5);
        const double bottom = size.height() - frame.unit -
                              frame.font * (below == 0 ? 1.4 : 2.9 + titleRow * double(below - 1));
        const double height = std::max(1.0, bottom - upper);
        room.ys = labelsOf(chart.y, std::max(1, int(height / (2 * frame.font))));
        room.words = 0;
        for (const Label& label : room.ys)
            room.words = std::max(room.words, textWidth(label.text, frame.font));
        room.words = std::min(room.words, size.width() * 0.38);
        const double left = room.words + frame.unit * 2;
        frame.drawing.plot = QRectF(left, upper, std::max(1.0, size.width() - left - right), height);
        room.above = labelRows(frame);
        const qsizetype lines = titleLines(frame).size();
        if (room.above.count <= rows && lines <= below)
            return room;
        rows = std::max(rows, room.above.count);
        below = std::max(below, lines);
    }
}

/// The next smaller one of 1, 2, 2.5 and 5 times a power of ten.
double finer(double step)
{
    const double power = std::pow(10, std::floor(std::log10(step) + 1e-9)), factor = step / power;
    return power * (factor > 4 ? 2.5 : factor > 2.2 ? 2 : factor > 1.5 ? 1 : 0.5);
}

} // namespace

double textWidth(const QString& text, double font)
{
    double width = 0;
    for (const QChar c : text)
        width += widthOf(c);
    return width * font;
}

std::vector<double> linearTicks(double low, double high, int most, bool whole)
{
    const double rough = (high - low) / std::max(1, most - 1);
    double step = std::pow(10, std::floor(std::log10(std::max(rough, 1e-12))));
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0})
        if (factor * step >= rough * (1 - 1e-9)) {
            step *= factor;
            break;
        }
    if (whole)
        step = std::max(1.0, std::ceil(step - 1e-9));
    std::vector<double> ticks;
    const auto fill = [&] {
        ticks.clear();
        for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
            ticks.push_back(i * step);
    };
    fill();
    if (high > low && whole && ticks.size() < 2) { // one mark says nothing of how long the axis is
        step = std::max(1.0, std::floor(high - low));
        fill();
    }
    while (high > low && !whole && ticks.size() < 2) {
        step = finer(step);
        fill();
    }
    return ticks;
}

int Drawing::markAt(const QPointF& point) const
{
    int mark = -1;
    double nearest = 1e300;
    for (const Target& target : targets) {
        if (!target.area.contains(point))
            continue;
        const QPointF away = target.centre - point;
        if (const double distance = QPointF::dotProduct(away, away); distance < nearest) {
            nearest = distance;
            mark = target.mark;
        }
    }
    return mark;
}

const Target* Drawing::targetOf(int mark) const
{
    const auto found = std::find_if(targets.begin(), targets.end(),
                                    [mark](const Target& target) { return target.mark == mark; });
    return found == targets.end() ? nullptr : &*found;
}

/// Twelve lines for title, note, legend and the horizontal axis.
double heightOf(const Chart& chart, const ChartStyle& style, double linesOfARow, double otherwise)
{
    return style.font *
           (chart.y.scale == AxisScale::Words ? 12 + linesOfARow * double(chart.y.words.size()) : otherwise);
}

double comfortableHeight(const Chart& chart, const ChartStyle& style)
{
    return heightOf(chart, style, 2.6, 35);
}

double leastHeight(const Chart& chart, const ChartStyle& style)
{
    const bool pairs = std::any_of(chart.y.words.begin(), chart.y.words.end(),
                                   [](const QString& word) { return word.contains(QLatin1String(" + ")); });
    return heightOf(chart, style, pairs ? 2.6 : 1.6, 20); // two names may need two lines, as large as others
}

double readableHeight(const Chart& chart, const ChartStyle& style)
{
    return heightOf(chart, style, 0.95, 0);
}

Drawing layOut(const Chart& chart, const QSizeF& size, const ChartStyle& style)
{
    Frame frame(chart, size, style);
    double top = 0;
    if (style.title)
        drawHead(frame, top);
    if (chart.isEmpty()) {
        double y = top + std::max(0.0, (size.height() - top) / 2 - frame.font);
        for (const QString& line : wrapped(chart.empty, size.width() * 0.8, frame.font, 4)) {
            frame.text({size.width() / 2, y}, line, Ink::Muted, DrawnShape::Anchor::Middle);
            y += frame.font * 1.5;
        }
        return std::move(frame.drawing);
    }
    drawLegend(frame, top);
    const PlotRoom room = fitPlot(frame, top);
    if (!chart.y.title.isEmpty())
        frame.text({0, frame.baselineAbove(room.above.titleRow)}, chart.y.title, Ink::Muted);
    // Marked lines lie over bars and under points.
    const bool bars = chart.series.front().look == Series::Look::Bars;
    drawAxes(frame, room.ys, room.words);
    if (!bars)
        drawRules(frame, room.above);
    drawSeries(frame);
    if (bars)
        drawRules(frame, room.above);
    return std::move(frame.drawing);
}

} // namespace cudal1::charts
