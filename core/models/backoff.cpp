// SPDX-License-Identifier: GPL-3.0-or-later
// Exponential pauses, and the three forms of dates in HTTP.
#include "core/models/backoff.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace cudal1::models {

using std::chrono::milliseconds;

milliseconds pauseBefore(int retry, std::optional<milliseconds> asked, double random)
{
    const double whole_s = std::min(60.0, std::ldexp(1.0, std::clamp(retry, 0, 30)));
    const milliseconds own(std::llround(whole_s * (1 - random / 2) * 1000));
    return asked ? std::max(*asked, own) : own;
}

std::optional<milliseconds> retryAfter(const QByteArray& header, const QDateTime& now)
{
    const QByteArray text = header.trimmed();
    bool good = false;
    // Not in the standard, but some servers send fractions.
    if (const double seconds = text.toDouble(&good); good && std::isfinite(seconds)) {
        constexpr double most_s = 1e9;
        return milliseconds(std::llround(std::clamp(seconds, 0.0, most_s) * 1000));
    }
    // Names of days are left out: only they differ in how they are cut, and they say nothing new.
    QString date = QString::fromLatin1(text);
    date = date.mid(date.indexOf(QLatin1Char(' ')) + 1).simplified();
    for (const char* format : {"dd MMM yyyy HH:mm:ss 'GMT'", "dd-MMM-yy HH:mm:ss 'GMT'", "MMM d HH:mm:ss yyyy"}) {
        QDateTime read = QLocale::c().toDateTime(date, QLatin1String(format));
        if (!read.isValid())
            continue;
        if (read.date().year() < 1970)
            read = read.addYears(100); // two digits of a year
        read.setTimeSpec(Qt::UTC);
        return milliseconds(std::max<qint64>(0, now.msecsTo(read)));
    }
    return std::nullopt;
}

} // namespace cudal1::models
