// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the store as cells of a report.
#include "core/report/cells.h"

#include "core/base/percenttext.h"
#include "core/charts/numbertext.h"
#include "core/protocol/marks.h"

#include <QLocale>

#include <algorithm>

namespace cudal1::report {

namespace {

/// A gain that is marked has not the colour of a plain one.
Tone toneOfMerit(protocol::Merit merit)
{
    switch (merit) {
    case protocol::Merit::Gain: return Tone::Gain;
    case protocol::Merit::OtherPrecision: return Tone::Plain;
    case protocol::Merit::Questioned: return Tone::Warning;
    case protocol::Merit::Loss: return Tone::Loss;
    case protocol::Merit::NotFaster: break;
    }
    return Tone::Soft;
}

} // namespace

QString fromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

Cell textCell(const QString& text, Tone tone)
{
    Cell cell;
    cell.text = text;
    cell.tone = tone;
    return cell;
}

Cell textCell(std::string_view text)
{
    return textCell(fromUtf8(text));
}

Cell noCell()
{
    Cell cell = textCell(QStringLiteral("–"), Tone::Soft);
    cell.none = true;
    cell.order = 0;
    return cell;
}

Cell numberCell(double value, const QString& text)
{
    Cell cell;
    cell.text = text.isEmpty() ? QString::number(value, 'g', QLocale::FloatingPointShortest) : text;
    cell.value = value;
    return cell;
}

Cell timeCell(double nanoseconds)
{
    return nanoseconds > 0 ? numberCell(nanoseconds, charts::timeText(nanoseconds)) : noCell();
}

Cell dateCell(std::int64_t milliseconds)
{
    return milliseconds > 0 ? numberCell(double(milliseconds), charts::dateText(milliseconds)) : noCell();
}

QString markedText(const base::Interval& speedup, const std::string& marks)
{
    const QString text = charts::speedupText(speedup);
    return marks.empty() ? text : text + QLatin1Char(' ') + fromUtf8(protocol::marksWord(marks));
}

Cell speedupCell(const base::Interval& speedup, const std::string& marks)
{
    if (!speedup.valid())
        return noCell();
    const base::Comparison comparison = base::compare(speedup);
    Cell cell = numberCell(speedup.estimate, markedText(speedup, marks));
    cell.interval = speedup;
    cell.sign = charts::comparisonSign(comparison);
    cell.tone = toneOfMerit(protocol::meritOf(speedup, marks));
    cell.strong = true;
    cell.detail = charts::intervalText(speedup);
    if (comparison == base::Comparison::Same || comparison == base::Comparison::Unclear)
        cell.detail += QLatin1Char(' ') + fromUtf8(protocol::toString(comparison));
    return cell;
}

Cell eventCell(const base::Interval& event, const base::Interval& wall)
{
    if (!event.valid())
        return noCell();
    Cell cell = numberCell(event.estimate, charts::speedupText(event));
    cell.interval = event;
    cell.detail = charts::intervalText(event);
    if (protocol::clocksDisagree(wall, event)) {
        cell.struck = true;
        cell.note = fromUtf8(protocol::clocksDisagreeText());
    }
    return cell;
}

Cell verdictCell(const store::VariantRow& variant)
{
    if (!variant.evaluation)
        return textCell(QStringLiteral("waiting"), Tone::Soft);
    const bool correct = variant.evaluation->verdict == protocol::Verdict::Correct;
    Cell cell = textCell(charts::verdictText(variant.evaluation->verdict), correct ? Tone::Gain : Tone::Loss);
    cell.sign = correct ? QStringLiteral("✓") : QStringLiteral("✗");
    if (variant.stale)
        cell.detail = QStringLiteral("for an older source of the task");
    cell.below = fromUtf8(variant.evaluation->firstReason);
    return cell;
}

std::optional<Cell> clockCell(const protocol::ClockSpeedup& clock)
{
    if (!clock.valid())
        return {};
    Cell cell = numberCell(clock.speedup.estimate,
                           QStringLiteral("%1, %2 → %3")
                               .arg(charts::speedupText(clock.speedup), charts::timeText(clock.reference_ns),
                                    charts::timeText(clock.candidate_ns)));
    cell.interval = clock.speedup;
    cell.detail = charts::intervalText(clock.speedup);
    return cell;
}

void addFact(FactList& list, const char* key, const QString& name, Cell value)
{
    if (!value.text.isEmpty())
        list.facts.push_back({QLatin1String(key), name, {std::move(value)}});
}

void addFact(FactList& list, const char* key, const QString& name, const QString& text)
{
    addFact(list, key, name, textCell(text));
}

QString levelText(int level)
{
    return level > 0 ? QStringLiteral("level %1").arg(level) : QStringLiteral("files");
}

QString share(int part, int whole)
{
    if (whole == 0)
        return QStringLiteral("–");
    const double share = double(part) / whole;
    const std::string text = base::percentText(share);
    return fromUtf8(part < whole && text == base::percentText(1) ? base::tenthsText(std::min(share, 0.999)) : text);
}

QString anchorOf(const base::TaskId& task)
{
    // Any text may be a task's name; hexadecimal digits are safe in an id and in a link, and never collide.
    return QStringLiteral("task-") + QString::fromLatin1(QByteArray::fromStdString(task.value).toHex());
}

} // namespace cudal1::report
