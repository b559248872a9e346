// SPDX-License-Identifier: GPL-3.0-or-later
// Words and figures of variants.
#include "ui/variants/texts.h"

#include "core/base/ratiotext.h"
#include "core/base/timetext.h"
#include "core/baselines/kinds.h"
#include "core/protocol/marks.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

namespace cudal1::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("cudal1::ui::texts", text);
}

QString scaled(double value, double step, std::initializer_list<const char*> units)
{
    auto unit = units.begin();
    while (value >= step * 0.9995 && unit + 1 != units.end()) {
        value /= step;
        ++unit;
    }
    return QString::fromStdString(base::threeDigits(value)) + QChar(0x00A0) + QString::fromUtf8(*unit);
}

} // namespace

QString speedupText(double speedup)
{
    return QString::fromStdString(base::ratioText(speedup));
}

QString speedupText(const base::Interval& interval)
{
    return QString::fromStdString(base::estimateText(interval));
}

QString intervalText(const base::Interval& interval)
{
    return QString::fromStdString(base::rangeText(interval));
}

QString speedupPhrase(const base::Interval& interval, const std::string& marks)
{
    if (!interval.valid())
        return tr("not timed");
    switch (base::compare(interval)) {
    case base::Comparison::Unclear:
        return tr("unclear");
    case base::Comparison::Same:
        return tr("same");
    case base::Comparison::Faster:
    case base::Comparison::Slower:
        break;
    }
    return speedupText(interval) + QString::fromStdString(marks);
}

QString speedupSentence(const base::Interval& interval, const std::string& marks)
{
    const QString phrase = speedupPhrase(interval, marks);
    return interval.valid() ? phrase + QStringLiteral("  ") + intervalText(interval) : phrase;
}

QString marksNote(const std::string& marks)
{
    return QString::fromStdString(protocol::marksText(marks));
}

Role speedupRole(const base::Interval& interval)
{
    if (!interval.valid())
        return Role::Muted;
    switch (base::compare(interval)) {
    case base::Comparison::Faster:
        return Role::GainText;
    case base::Comparison::Slower:
        return Role::LossText;
    case base::Comparison::Same:
    case base::Comparison::Unclear:
        break;
    }
    return Role::Muted;
}

VerdictStyle verdictStyle(protocol::Verdict verdict)
{
    using protocol::Verdict;
    switch (verdict) {
    case Verdict::Correct:
        return {tr("correct"), QStringLiteral("check"), Role::GainText};
    case Verdict::Incorrect:
        return {tr("incorrect"), QStringLiteral("close"), Role::LossText};
    case Verdict::DoesNotBuild:
        return {tr("does not build"), QStringLiteral("error"), Role::LossText};
    case Verdict::Crashed:
        return {tr("crashed"), QStringLiteral("error"), Role::LossText};
    case Verdict::TimedOut:
        return {tr("timed out"), QStringLiteral("clock"), Role::WarningText};
    case Verdict::OutOfMemory:
        return {tr("out of memory"), QStringLiteral("warning"), Role::WarningText};
    case Verdict::Exploit:
        return {tr("exploit"), QStringLiteral("warning"), Role::LossText};
    case Verdict::ReferenceFailed:
        return {tr("reference failed"), QStringLiteral("reference"), Role::WarningText};
    case Verdict::Cancelled:
        return {tr("cancelled"), QStringLiteral("stop"), Role::Muted};
    }
    return {tr("unknown"), QStringLiteral("help"), Role::Muted};
}

std::string marksOf(const store::VariantRow& row)
{
    return row.evaluation ? row.evaluation->marks : std::string();
}

VerdictStyle verdictStyle(const store::VariantRow& row)
{
    if (!row.evaluation)
        return {tr("waiting"), QStringLiteral("more"), Role::Muted};
    VerdictStyle style = verdictStyle(row.evaluation->verdict);
    style.word += QString::fromStdString(row.evaluation->marks);
    return style;
}

QString variantName(base::VariantId id, const std::string& baseline)
{
    const baselines::Kind* kind = baselines::find(baseline);
    return kind ? QString::fromUtf8(kind->name.data(), qsizetype(kind->name.size())) : variantName(id);
}

QString variantName(base::VariantId id)
{
    return id ? QStringLiteral("#%1").arg(id.value) : tr("Reference");
}

QString techniquesText(const std::vector<std::string>& techniques)
{
    QStringList names;
    for (const std::string& technique : techniques)
        names << QString::fromStdString(technique).replace(u'_', u' ');
    return names.isEmpty() ? QString(QChar(0x2014)) : names.join(QStringLiteral(" + "));
}

QString ageText(std::int64_t created_ms, std::int64_t now_ms)
{
    const std::int64_t minutes = (now_ms - created_ms) / 60'000;
    if (created_ms <= 0)
        return {};
    if (minutes < 1)
        return tr("now");
    if (minutes < 60)
        return tr("%1 min").arg(minutes);
    if (minutes < 48 * 60)
        return tr("%1 h").arg(minutes / 60);
    if (minutes < 60 * 24 * 60)
        return tr("%1 d").arg(minutes / 60 / 24);
    return QDateTime::fromMSecsSinceEpoch(created_ms).date().toString(Qt::ISODate);
}

QString counted(int count, const QString& one, const QString& many)
{
    return QString::number(count) + u' ' + (count == 1 ? one : many);
}

QString timeText(double nanoseconds)
{
    return QString::fromStdString(base::timeText(nanoseconds)).replace(u' ', QChar(0x00A0));
}

QString floorShareText(double share)
{
    return share > 0 ? QStringLiteral("%1 %").arg(share * 100, 0, 'f', share < 0.1 ? 1 : 0) : QString();
}

QString bytesText(double bytes)
{
    return bytes < 1024 ? QString::number(bytes, 'f', 0) + QChar(0x00A0) + u'B' : scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

} // namespace cudal1::ui
