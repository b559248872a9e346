// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts and lines of a page.
#include "core/pages/sheet.h"

#include <QFontMetricsF>
#include <QTextLayout>

#include <array>

namespace cudal1::pages {

namespace {

struct StyleFacts {
    double size; ///< units
    bool bold, mono;
    double leading; ///< of the size
};

StyleFacts factsOf(Style style)
{
    switch (style) {
    case Style::Body: return {92, false, false, 1.45};
    case Style::Bold: return {92, true, false, 1.45};
    case Style::Small: return {78, false, false, 1.4};
    case Style::SmallBold: return {78, true, false, 1.4};
    case Style::Tiny: return {66, false, false, 1.4};
    case Style::TinyBold: return {66, true, false, 1.4};
    case Style::Mono: return {70, false, true, 1.42};
    case Style::Title: return {210, true, false, 1.2};
    case Style::Heading: return {140, true, false, 1.35};
    case Style::Subheading: return {104, true, false, 1.4};
    case Style::Number: return {190, true, false, 1.25};
    }
    return {92, false, false, 1.45};
}

constexpr std::size_t styles = std::size_t(Style::Number) + 1;

const QFontMetricsF& metricsOf(Style style)
{
    // One set a thread: metrics share their font's engine, which belongs to the thread that made it.
    thread_local const std::vector<QFontMetricsF> all = [] {
        std::vector<QFontMetricsF> made;
        for (std::size_t i = 0; i < styles; ++i)
            made.emplace_back(fontOf(Style(i)));
        return made;
    }();
    return all[std::size_t(style)];
}

} // namespace

QFont fontOf(Style style)
{
    const StyleFacts facts = factsOf(style);
    QFont font;
    if (facts.mono) {
        font.setFamilies({QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono"),
                          QStringLiteral("Liberation Mono"), QStringLiteral("monospace")});
        font.setStyleHint(QFont::Monospace);
        font.setFixedPitch(true);
    } else {
        font.setFamilies({QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"), QStringLiteral("Liberation Sans"),
                          QStringLiteral("sans-serif")});
        font.setStyleHint(QFont::SansSerif);
    }
    font.setPixelSize(int(facts.size));
    font.setBold(facts.bold);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setLetterSpacing(QFont::AbsoluteSpacing,
                          0.02); // next to nothing, and no ligatures: who searches for "differ" finds it
    return font;
}

double lineHeight(Style style)
{
    const StyleFacts facts = factsOf(style);
    return facts.size * facts.leading;
}

double ascent(Style style)
{
    const QFontMetricsF& metrics = metricsOf(style);
    return (lineHeight(style) - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent();
}

double widthOf(const QString& text, Style style)
{
    return metricsOf(style).horizontalAdvance(text);
}

QStringList wrapped(const QString& text, Style style, double width)
{
    QStringList lines;
    for (const QString& paragraph : text.split(QLatin1Char('\n'))) {
        if (paragraph.isEmpty() || widthOf(paragraph, style) <= width) {
            lines << paragraph;
            continue;
        }
        QTextLayout layout(paragraph, fontOf(style));
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        layout.setTextOption(option);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(width);
            QString piece = paragraph.mid(line.textStart(), line.textLength());
            while (piece.endsWith(QLatin1Char(' ')))
                piece.chop(1);
            lines << piece;
        }
        layout.endLayout();
    }
    return lines;
}

} // namespace cudal1::pages
