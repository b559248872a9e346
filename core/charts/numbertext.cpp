// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and foreign text as they stand in a report.
#include "core/charts/numbertext.h"

#include "core/base/bytestext.h"
#include "core/base/counttext.h"
#include "core/base/ratiotext.h"
#include "core/base/timetext.h"
#include "core/charts/projectsummary.h"

#include <QDateTime>

#include <cmath>

namespace cudal1::charts {

namespace {

bool reorders(ushort c)
{
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

} // namespace

QString visible(const QString& text)
{
    QString out;
    out.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const ushort u = c.unicode();
        if (u == '\r') {
            if (i + 1 >= text.size() || text[i + 1] != QLatin1Char('\n'))
                out += QLatin1Char('\n'); // what a terminal would overwrite, a reader should see
        } else if (u < 0x20 && u != '\n' && u != '\t')
            out += QChar(0x2400 + u); // the pictures of the control characters
        else if ((u >= 0x7f && u < 0xa0) || reorders(u) || u >= 0xfffe)
            out += QChar(0xfffd);
        else if (c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
            out += c;
            out += text[++i];
        } else
            out += c.isSurrogate() ? QChar(0xfffd) : c;
    }
    return out;
}

QString escaped(const QString& text)
{
    QString out = visible(text);
    out.replace(QLatin1Char('&'), QLatin1String("&amp;"));
    out.replace(QLatin1Char('<'), QLatin1String("&lt;"));
    out.replace(QLatin1Char('>'), QLatin1String("&gt;"));
    out.replace(QLatin1Char('"'), QLatin1String("&quot;"));
    out.replace(QLatin1Char('\''), QLatin1String("&#39;"));
    return out;
}

QString escaped(std::string_view text)
{
    return escaped(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
}

QString speedupText(double speedup)
{
    return speedup > 0 && std::isfinite(speedup) ? QString::fromStdString(base::ratioText(speedup))
                                                 : QStringLiteral("–");
}

QString speedupText(const base::Interval& interval)
{
    return interval.valid() ? QString::fromStdString(base::estimateText(interval)) : speedupText(0.0);
}

QString intervalText(const base::Interval& interval)
{
    return interval.valid() ? QString::fromStdString(base::rangeText(interval)) : QString();
}

QString timeText(double nanoseconds)
{
    return nanoseconds > 0 ? QString::fromStdString(base::timeText(nanoseconds)) : QString();
}

QString durationText(double seconds)
{
    return QString::fromStdString(base::durationText(seconds));
}

QString bytesText(double bytes)
{
    return QString::fromStdString(base::bytesText(bytes));
}

QString counted(qsizetype number, const char* one, const char* many)
{
    return QStringLiteral("%1 %2").arg(QString::fromStdString(base::countText(number)),
                                       QLatin1String(number == 1 ? one : many));
}

QString dateText(std::int64_t milliseconds)
{
    return QDateTime::fromMSecsSinceEpoch(milliseconds, Qt::UTC).toString(QStringLiteral("yyyy-MM-dd hh:mm"));
}

QString verdictText(protocol::Verdict verdict)
{
    const std::string_view word = protocol::toString(verdict);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()))
        .replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString stateText(const store::TaskRow& row)
{
    using State = store::TaskRow::State;
    if (isSlower(row))
        return QStringLiteral("slower");
    switch (row.state) {
    case State::NotTried: return QStringLiteral("not tried");
    case State::Running: return QStringLiteral("running");
    case State::Improved:
        switch (meritOf(row)) {
        case protocol::Merit::OtherPrecision: return QStringLiteral("other precision");
        case protocol::Merit::Questioned: return QStringLiteral("questioned");
        case protocol::Merit::Gain:
        case protocol::Merit::NotFaster:
        case protocol::Merit::Loss: break;
        }
        return QStringLiteral("improved");
    case State::NoGain: return QStringLiteral("no gain");
    case State::Failed: return QStringLiteral("failed");
    }
    return {};
}

QString comparisonSign(base::Comparison comparison)
{
    switch (comparison) {
    case base::Comparison::Faster: return QStringLiteral("▲");
    case base::Comparison::Slower: return QStringLiteral("▼");
    case base::Comparison::Same: return QStringLiteral("=");
    case base::Comparison::Unclear: return QStringLiteral("?");
    }
    return {};
}

} // namespace cudal1::charts
