// SPDX-License-Identifier: GPL-3.0-or-later
// Marked lines of a chart, and the rows above its plot in which their labels stand.
#include "core/charts/layoutframe.h"

#include <algorithm>
#include <bit>

namespace cudal1::charts {

namespace {

/// Labels of which every combination of sides is tried; more of them stand only where there is room.
constexpr std::size_t mostArranged = 6;

/// From a label to what is not its own: three times as far as to its own line.
double clearance(const Frame& frame)
{
    return 3 * frame.unit;
}

bool isInside(const Axis& axis, double value)
{
    return value >= axis.low && value <= axis.high;
}

/// Where the text ends that begins beside its line.
double farEnd(const Frame& frame, const RuleLabel& label)
{
    const double reach = frame.unit + label.width;
    return label.left ? label.x - reach : label.x + reach;
}

bool fits(const Frame& frame, const RuleLabel& label)
{
    return label.left ? farEnd(frame, label) >= 0 : farEnd(frame, label) <= frame.drawing.size.width();
}

/// Whether one label would come upon the line of another in the same row, or so close to it that it could be taken for
/// the label of that line. Labels of one place on one side stand below each other.
bool comesUpon(const Frame& frame, const RuleLabel& label, const RuleLabel& other)
{
    const double way = label.left ? label.x - other.x : other.x - label.x;
    if (way == 0)
        return label.left == other.left && label.rule < other.rule;
    return way > 0 && way < frame.unit + label.width + clearance(frame);
}

/// Whether one label needs a higher row than another: the line of that other one then ends below it.
bool needsHigherRow(const Frame& frame, const RuleLabel& label, const RuleLabel& other)
{
    if (comesUpon(frame, label, other))
        return true;
    const bool meet = !label.left && other.left && label.x < other.x &&
                      farEnd(frame, label) + clearance(frame) > farEnd(frame, other);
    return meet && !comesUpon(frame, other, label);
}

/// Gives each label the lowest row that it can have. False where one does not fit into the picture, or where each of
/// two would need the higher row.
bool stack(const Frame& frame, std::vector<RuleLabel>& labels)
{
    for (RuleLabel& label : labels) {
        label.row = 0;
        if (!fits(frame, label))
            return false;
    }
    for (std::size_t pass = 0; pass <= labels.size(); ++pass) {
        bool settled = true;
        for (RuleLabel& label : labels)
            for (const RuleLabel& other : labels)
                if (label.row <= other.row && needsHigherRow(frame, label, other)) {
                    label.row = other.row + 1;
                    settled = false;
                }
        if (settled)
            return true;
    }
    return false;
}

bool touchesTitle(const Frame& frame, double x)
{
    const QString& title = frame.chart.y.title;
    return !title.isEmpty() && x < textWidth(title, frame.font) + clearance(frame);
}

/// The lowest row in which the title of the vertical axis touches neither a label nor a line that goes up to one.
int titleRowOf(const Frame& frame, const std::vector<RuleLabel>& labels)
{
    int row = 0;
    while (std::any_of(labels.begin(), labels.end(), [&](const RuleLabel& label) {
        return (label.row == row && touchesTitle(frame, std::min(label.x, farEnd(frame, label)))) ||
               (label.row > row && touchesTitle(frame, label.x));
    }))
        ++row;
    return row;
}

/// The arrangement with the fewest rows, and among those the one with most labels on the side that they would rather
/// have. False where there is none.
bool arrange(const Frame& frame, std::vector<RuleLabel> labels, LabelRows& best)
{
    int least = -1;
    for (unsigned turned = 0; turned < 1U << labels.size(); ++turned) {
        for (std::size_t i = 0; i < labels.size(); ++i)
            labels[i].left = (labels[i].rule->place < 0) != ((turned >> i & 1) != 0);
        if (!stack(frame, labels))
            continue;
        LabelRows made{labels, titleRowOf(frame, labels), 0};
        made.count = frame.chart.y.title.isEmpty() ? 0 : made.titleRow + 1;
        for (const RuleLabel& label : labels)
            made.count = std::max(made.count, label.row + 1);
        const int cost = made.count * int(mostArranged + 1) + std::popcount(turned);
        if (least < 0 || cost < least) {
            least = cost;
            best = std::move(made);
        }
    }
    return least >= 0;
}

/// Whether there is room for one more label in the lowest row.
bool hasRoom(const Frame& frame, const RuleLabel& label, const LabelRows& rows)
{
    if (!fits(frame, label) || (rows.titleRow == 0 && touchesTitle(frame, std::min(label.x, farEnd(frame, label)))))
        return false;
    return std::none_of(rows.labels.begin(), rows.labels.end(), [&](const RuleLabel& other) {
        return needsHigherRow(frame, label, other) || (other.row == 0 && needsHigherRow(frame, other, label));
    });
}

void drawDiagonal(Frame& frame)
{
    const QRectF& plot = frame.drawing.plot;
    const double low = std::max(frame.chart.x.low, frame.chart.y.low),
                 high = std::min(frame.chart.x.high, frame.chart.y.high);
    frame.line(frame.at(low, low), frame.at(high, high), Ink::Text).dash = Dash::Dashed;
    // Below its upper end, as far as the line falls along the words.
    const QString words = QStringLiteral("equally fast");
    const double fall = textWidth(words, frame.font) * plot.height() / plot.width();
    frame.text(frame.at(high, high) + QPointF(-frame.font * 0.4, fall + frame.font * 1.6), words, Ink::Muted,
               DrawnShape::Anchor::End);
}

} // namespace

LabelRows labelRows(const Frame& frame)
{
    std::vector<RuleLabel> firm, faint;
    for (const Rule& rule : frame.chart.rules) {
        if (!rule.vertical || rule.label.isEmpty() || !isInside(frame.chart.x, rule.at))
            continue;
        const bool bold = rule.look == Rule::Look::Dashed, many = rule.look == Rule::Look::Faint;
        const double width = textWidth(rule.label, frame.font) * (bold ? 1.12 : 1);
        (many || firm.size() == mostArranged ? faint : firm).push_back({&rule, frame.xOf(rule.at), width});
    }
    LabelRows rows;
    while (!arrange(frame, firm, rows)) // in a picture not much wider than two labels
        firm.pop_back();
    std::stable_sort(faint.begin(), faint.end(), [](const RuleLabel& a, const RuleLabel& b) { return a.x < b.x; });
    for (RuleLabel& label : faint) {
        label.left = !fits(frame, label);
        if (hasRoom(frame, label, rows)) {
            rows.labels.push_back(label);
            rows.count = std::max(rows.count, 1);
        }
    }
    return rows;
}

void drawRules(Frame& frame, const LabelRows& rows)
{
    const QRectF& plot = frame.drawing.plot;
    for (const Rule& rule : frame.chart.rules) {
        if (!isInside(rule.vertical ? frame.chart.x : frame.chart.y, rule.at))
            continue;
        const auto label = std::find_if(rows.labels.begin(), rows.labels.end(),
                                        [&rule](const RuleLabel& one) { return one.rule == &rule; });
        const bool labelled = label != rows.labels.end();
        // Along the whole height of its label, and no further.
        const double top = labelled ? frame.baselineAbove(label->row) - frame.font * 0.75 : plot.top();
        const Ink ink = rule.look == Rule::Look::Faint ? Ink::Reference : Ink::Text;
        DrawnShape& line = rule.vertical
                             ? frame.line({frame.xOf(rule.at), top}, {frame.xOf(rule.at), plot.bottom()}, ink)
                             : frame.line({plot.left(), frame.yOf(rule.at)}, {plot.right(), frame.yOf(rule.at)}, ink);
        line.width = rule.look == Rule::Look::Solid ? 1.5 : 1;
        line.dash = rule.look == Rule::Look::Dashed ? Dash::Dashed
                  : rule.look == Rule::Look::Dotted ? Dash::Dotted
                                                    : Dash::Solid;
        line.opacity = rule.look == Rule::Look::Faint ? 0.6 : 1;
        if (!labelled)
            continue;
        const bool bold = rule.look == Rule::Look::Dashed;
        DrawnShape& words = frame.text(
            {label->x + (label->left ? -frame.unit : frame.unit), frame.baselineAbove(label->row)}, rule.label,
            bold ? Ink::Text : Ink::Muted, label->left ? DrawnShape::Anchor::End : DrawnShape::Anchor::Start);
        words.bold = bold;
    }
    if (frame.chart.diagonal)
        drawDiagonal(frame);
}

} // namespace cudal1::charts
