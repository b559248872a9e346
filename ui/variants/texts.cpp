// SPDX-License-Identifier: GPL-3.0-or-later
// Words and figures of variants.
#include "ui/variants/texts.h"

#include "core/base/bytestext.h"
#include "core/base/counttext.h"
#include "core/base/percenttext.h"
#include "core/base/ratiotext.h"
#include "core/base/spelled.h"
#include "core/base/timetext.h"
#include "core/baselines/baselinekinds.h"
#include "ui/kit/tr.h"

#include <QRegularExpression>
#include <QStringList>

namespace cudal1::ui {

namespace {

/// No line breaks in it.
QString unbroken(const std::string& quantity)
{
    return QString::fromStdString(quantity).replace(u' ', QChar(0x00A0));
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
    const auto phrase = [&interval] {
        if (!interval.valid())
            return tr("not timed");
        switch (base::compare(interval)) {
        case base::Comparison::Unclear: return tr("unclear");
        case base::Comparison::Same: return tr("same");
        case base::Comparison::Faster:
        case base::Comparison::Slower: break;
        }
        return speedupText(interval);
    };
    return marks.empty() ? phrase() : QStringLiteral("%1 (%2)").arg(phrase(), marksBadge(marks));
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

QString marksBadge(const std::string& marks)
{
    return QString::fromStdString(protocol::marksWord(marks));
}

Role speedupBarRole(const base::Interval& interval, const std::string& marks)
{
    switch (speedupRole(interval, marks)) {
    case Role::GainText: return Role::Gain;
    case Role::VariantText: return Role::Variant;
    case Role::WarningText: return Role::Warning;
    case Role::LossText: return Role::Loss;
    default: return Role::Reference;
    }
}

Role meritRole(protocol::Merit merit)
{
    switch (merit) {
    case protocol::Merit::Gain: return Role::GainText;
    case protocol::Merit::OtherPrecision: return Role::VariantText;
    case protocol::Merit::Questioned: return Role::WarningText;
    case protocol::Merit::Loss: return Role::LossText;
    case protocol::Merit::NotFaster: break;
    }
    return Role::Muted;
}

Role speedupRole(const base::Interval& interval, const std::string& marks)
{
    return meritRole(protocol::meritOf(interval, marks));
}

VerdictStyle verdictStyle(protocol::Verdict verdict)
{
    using protocol::Verdict;
    switch (verdict) {
    case Verdict::Correct: return {tr("correct"), QStringLiteral("check"), Role::GainText};
    case Verdict::Incorrect: return {tr("incorrect"), QStringLiteral("close"), Role::LossText};
    case Verdict::DoesNotBuild: return {tr("does not build"), QStringLiteral("error"), Role::LossText};
    case Verdict::Crashed: return {tr("crashed"), QStringLiteral("error"), Role::LossText};
    case Verdict::TimedOut: return {tr("timed out"), QStringLiteral("clock"), Role::WarningText};
    case Verdict::OutOfMemory: return {tr("out of memory"), QStringLiteral("warning"), Role::WarningText};
    case Verdict::Exploit: return {tr("exploit"), QStringLiteral("warning"), Role::LossText};
    case Verdict::ReferenceFailed: return {tr("reference failed"), QStringLiteral("reference"), Role::WarningText};
    case Verdict::Cancelled: return {tr("cancelled"), QStringLiteral("stop"), Role::Muted};
    }
    return {tr("unknown"), QStringLiteral("help"), Role::Muted};
}

std::string marksOf(const store::VariantRow& row)
{
    return row.evaluation ? row.evaluation->marks : std::string();
}

double gainOrder(const base::Interval& wall, const std::string& marks)
{
    constexpr double aboveAny = 1e9; // speed-ups of a lower rank
    return wall.valid() ? protocol::gainRank(wall, marks) * aboveAny + wall.low : -1;
}

VerdictStyle verdictStyle(const store::VariantRow& row)
{
    if (!row.evaluation)
        return {tr("not judged"), QStringLiteral("more"), Role::Muted};
    return verdictStyle(row.evaluation->verdict);
}

QString variantName(base::VariantId id, const std::string& baseline)
{
    const baselines::BaselineKind* kind = baselines::find(baseline);
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
        names << QString::fromStdString(base::spelled(technique));
    return names.isEmpty() ? QString(QChar(0x2014)) : names.join(QStringLiteral(" + "));
}

QString originText(const std::string& origin)
{
    static const QRegularExpression variant(QStringLiteral("\\bvariant (\\d+)"));
    return QString::fromStdString(origin).replace(variant, QStringLiteral("#\\1"));
}

QString ageText(std::int64_t created_ms, std::int64_t now_ms)
{
    return QString::fromStdString(base::ageText(created_ms, now_ms));
}

QString agoText(std::int64_t created_ms, std::int64_t now_ms)
{
    return QString::fromStdString(base::agoText(created_ms, now_ms));
}

QString countText(std::int64_t count)
{
    return QString::fromStdString(base::countText(count));
}

QString counted(std::int64_t count, const QString& one, const QString& many)
{
    return countText(count) + u' ' + (count == 1 ? one : many);
}

QString timeText(double nanoseconds)
{
    return unbroken(base::timeText(nanoseconds));
}

QString bytesText(double bytes)
{
    return unbroken(base::bytesText(bytes));
}

QString rateText(double bytesPerSecond)
{
    return unbroken(base::rateText(bytesPerSecond));
}

QString floorShareText(double share)
{
    return share > 0 ? QString::fromStdString(base::finePercentText(share)) : QString();
}

} // namespace cudal1::ui
