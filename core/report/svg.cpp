// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of speed-ups as inline SVG.
#include "core/report/svg.h"

#include "core/report/text.h"

namespace cudal1::report {

namespace {

// The drawing's own units; the page scales it to its column.
constexpr double width = 720, height = 300, left = 44, right = 12, top = 40, bottom = 46;
constexpr double innerWidth = width - left - right, innerHeight = height - top - bottom;

QString n(double value) { return QString::number(value, 'f', 1); }

QString tickText(double speedup) { return QString::number(speedup, 'g', 3) + QChar(0x00d7); }

class Drawing {
public:
    Drawing(const Histogram& histogram, const QStringList& groups, const QString& what)
        : m_histogram(histogram), m_groups(groups), m_what(what), m_top(axisTop(histogram.highest))
    {
    }

    QString draw()
    {
        m_svg += QStringLiteral(R"(<svg class="histogram" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1 %2" role="img" aria-label="%3">)")
                     .arg(n(width), n(height), label());
        rows();
        bars();
        axis();
        quartiles();
        m_svg += QLatin1String("</svg>\n");
        return m_svg;
    }

private:
    double x(double speedup) const { return left + innerWidth * m_histogram.position(speedup); }
    double y(double count) const { return top + innerHeight * (1 - count / m_top); }

    QString label() const
    {
        return escaped(QStringLiteral("Histogram of speed-ups of %1: quartiles %2, %3 and %4")
                           .arg(m_what, speedupText(m_histogram.first), speedupText(m_histogram.second), speedupText(m_histogram.third)));
    }

    void line(double x1, double y1, double x2, double y2, const char* cssClass)
    {
        m_svg += QStringLiteral(R"(<line class="%5" x1="%1" y1="%2" x2="%3" y2="%4"/>)").arg(n(x1), n(y1), n(x2), n(y2), cssClass);
    }

    void text(double atX, double atY, const QString& anchor, const char* cssClass, const QString& words)
    {
        m_svg += QStringLiteral(R"(<text class="%4" x="%1" y="%2" text-anchor="%3">%5</text>)")
                     .arg(n(atX), n(atY), anchor, QLatin1String(cssClass), escaped(words));
    }

    void rows()
    {
        const int step = std::max(1, m_top % 4 == 0 ? m_top / 4 : m_top % 5 == 0 ? m_top / 5 : m_top % 2 == 0 ? m_top / 2 : m_top);
        for (int count = 0; count <= m_top; count += step) {
            line(left, y(count), width - right, y(count), "grid");
            text(left - 8, y(count) + 4, QStringLiteral("end"), "tick", QString::number(count));
        }
    }

    void bars()
    {
        for (const Bin& bin : m_histogram.bins) {
            const double from = x(bin.low) + 1, to = std::max(from + 1, x(bin.high) - 1);
            int below = 0;
            for (std::size_t group = 0; group < bin.counts.size(); ++group) {
                const int count = bin.counts[group];
                if (count == 0)
                    continue;
                const double upper = y(below + count), lower = y(below);
                m_svg += QStringLiteral(R"(<rect class="bar g%1" x="%2" y="%3" width="%4" height="%5"><title>%6</title></rect>)")
                             .arg(QString::number(group), n(from), n(upper), n(to - from), n(std::max(1.0, lower - upper - 1)),
                                  escaped(QStringLiteral("%1 to %2, %3: %4 %5")
                                              .arg(speedupText(bin.low), speedupText(bin.high),
                                                   m_groups.value(static_cast<qsizetype>(group)), QString::number(count), m_what)));
                below += count;
            }
        }
    }

    void axis()
    {
        line(left, y(0), width - right, y(0), "axis");
        for (double tick : axisTicks(m_histogram.low(), m_histogram.high())) {
            line(x(tick), y(0), x(tick), y(0) + 5, "axis");
            text(x(tick), y(0) + 19, QStringLiteral("middle"), "tick", tickText(tick));
        }
        line(x(1), top - 4, x(1), y(0), "one");
        text(left + innerWidth / 2, height - 6, QStringLiteral("middle"), "caption",
             QStringLiteral("speed-up by the wall clock (logarithmic)"));
    }

    void quartiles()
    {
        // The median's label has a row of its own; those of the others point away from it, so that none overlap.
        const auto mark = [&](double speedup, const QString& anchor, double shift, double atY, const char* name) {
            const double at = x(speedup);
            line(at, atY + 4, at, y(0), "quartile");
            text(std::clamp(at + shift, left + (anchor == QLatin1String("end") ? 60 : 44), width - right - (anchor == QLatin1String("start") ? 60 : 44)),
                 atY, anchor, "mark", QLatin1String(name) + QLatin1Char(' ') + speedupText(speedup));
        };
        mark(m_histogram.second, QStringLiteral("middle"), 0, 12, "median");
        mark(m_histogram.first, QStringLiteral("end"), 2, 28, "Q1");
        mark(m_histogram.third, QStringLiteral("start"), -2, 28, "Q3");
    }

    const Histogram& m_histogram;
    const QStringList& m_groups;
    const QString m_what;
    const int m_top;
    QString m_svg;
};

} // namespace

QString histogramSvg(const Histogram& histogram, const QStringList& groups, const QString& what)
{
    return histogram.bins.empty() ? QString() : Drawing(histogram, groups, what).draw();
}

} // namespace cudal1::report
