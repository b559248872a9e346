// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a drawing as SVG. Colours stand in attributes, which any viewer knows and any style sheet overrides.
#include "core/charts/svg.h"

#include "core/charts/numbertext.h"

#include <algorithm>

namespace cudal1::charts {

namespace {

constexpr std::array names{"surface", "text",    "muted",  "grid",   "reference", "variant", "gain",
                           "loss",    "warning", "level0", "level1", "level2",    "level3"};

// Those of the window's theme.
constexpr Palette light{"#ffffff", "#1a1f26", "#57606c", "#d8dde4", "#7d8691", "#0072b2", "#009e73",
                        "#d55e00", "#b87d00", "#cc79a7", "#4a97d2", "#2a70ad", "#0b4c82"};
constexpr Palette dark{"#1c1f26", "#e4e8ee", "#a1aab7", "#343a46", "#8d96a4", "#56b4e9", "#22b88c",
                       "#f07f3c", "#f0b232", "#d58fb6", "#3a7ab5", "#56a9e0", "#b3dcf7"};

QString n(double value)
{
    QString text = QString::number(value, 'f', 2);
    while (text.endsWith(QLatin1Char('0')))
        text.chop(1);
    if (text.endsWith(QLatin1Char('.')))
        text.chop(1);
    return text == QLatin1String("-0") ? QStringLiteral("0") : text;
}

QString pointsOf(const DrawnShape& shape)
{
    QStringList out;
    for (const QPointF& point : shape.points)
        out << n(point.x()) + QLatin1Char(',') + n(point.y());
    return out.join(QLatin1Char(' '));
}

const char* dashesOf(Dash dash)
{
    switch (dash) {
    case Dash::Solid: return nullptr;
    case Dash::Dashed: return "5 3";
    case Dash::Dotted: return "2 2.5";
    case Dash::DashDot: return "6 3 1.5 3";
    case Dash::LongDash: return "10 4";
    }
    return nullptr;
}

class Writer {
public:
    Writer(const Chart& chart, const SvgOptions& options)
        : m_chart(chart), m_palette(options.palette ? *options.palette : light), m_options(options)
    {
    }

    QString write(const Drawing& drawing)
    {
        m_out +=
            QStringLiteral(
                R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="%1" height="%2" viewBox="0 0 %1 %2" role="img" font-family="%3">)")
                .arg(n(drawing.size.width()), n(drawing.size.height()), escaped(m_options.font));
        m_out += QStringLiteral("\n<title>%1</title>\n<desc>%2</desc>\n")
                     .arg(escaped(m_chart.title), escaped(m_chart.inWords()));
        if (m_options.background)
            m_out += QStringLiteral(R"(<rect class="ink-surface" width="%1" height="%2" fill="%3"/>)")
                         .arg(n(drawing.size.width()), n(drawing.size.height()), QLatin1String(m_palette[0])) +
                     QLatin1Char('\n');
        for (const DrawnShape& shape : drawing.shapes)
            draw(shape);
        return m_out + QStringLiteral("</svg>\n");
    }

private:
    /// A class for its fill and one for its stroke.
    QString paint(const DrawnShape& shape) const
    {
        const auto color = [this](const std::optional<Ink>& ink) {
            return ink ? QLatin1String(m_palette[std::size_t(*ink)]) : QLatin1String("none");
        };
        QStringList classes;
        if (shape.fill)
            classes << QStringLiteral("ink-") + QLatin1String(nameOf(*shape.fill));
        if (shape.stroke)
            classes << QStringLiteral("line-") + QLatin1String(nameOf(*shape.stroke));
        QString out = QStringLiteral(R"( class="%1" fill="%2")").arg(classes.join(QLatin1Char(' ')), color(shape.fill));
        if (shape.stroke) {
            out += QStringLiteral(R"( stroke="%1" stroke-width="%2")").arg(color(shape.stroke), n(shape.width));
            if (const char* dashes = dashesOf(shape.dash))
                out += QStringLiteral(R"( stroke-dasharray="%1")").arg(QLatin1String(dashes));
            if (shape.kind == DrawnShape::Kind::Line && shape.points.size() > 2)
                out += QStringLiteral(R"( stroke-linejoin="round")");
        }
        if (shape.opacity < 1)
            out += QStringLiteral(R"( opacity="%1")").arg(n(shape.opacity));
        return out;
    }

    void draw(const DrawnShape& shape)
    {
        const QString hover = shape.mark >= 0 ? m_chart.marks[std::size_t(shape.mark)].hover : QString();
        QString element, inner;
        switch (shape.kind) {
        case DrawnShape::Kind::Rectangle: {
            const QRectF area = QRectF(shape.points[0], shape.points[1]).normalized();
            element = QStringLiteral("rect");
            m_out += QStringLiteral(R"(<rect x="%1" y="%2" width="%3" height="%4")")
                         .arg(n(area.x()), n(area.y()), n(area.width()), n(area.height()));
            break;
        }
        case DrawnShape::Kind::Line:
            element = QStringLiteral("polyline");
            m_out += QStringLiteral(R"(<polyline points="%1")").arg(pointsOf(shape));
            break;
        case DrawnShape::Kind::Polygon:
            element = QStringLiteral("polygon");
            m_out += QStringLiteral(R"(<polygon points="%1")").arg(pointsOf(shape));
            break;
        case DrawnShape::Kind::Disc:
            element = QStringLiteral("circle");
            m_out += QStringLiteral(R"(<circle cx="%1" cy="%2" r="%3")")
                         .arg(n(shape.points[0].x()), n(shape.points[0].y()), n(shape.size));
            break;
        case DrawnShape::Kind::Text: {
            element = QStringLiteral("text");
            const char* anchor = shape.anchor == DrawnShape::Anchor::Start  ? "start"
                               : shape.anchor == DrawnShape::Anchor::Middle ? "middle"
                                                                            : "end";
            m_out += QStringLiteral(R"(<text x="%1" y="%2" font-size="%3" text-anchor="%4")")
                         .arg(n(shape.points[0].x()), n(shape.points[0].y()), n(shape.size), QLatin1String(anchor));
            if (shape.bold)
                m_out += QStringLiteral(R"( font-weight="600")");
            inner = escaped(shape.text);
            break;
        }
        }
        m_out += paint(shape);
        if (!hover.isEmpty())
            inner += QStringLiteral("<title>%1</title>").arg(escaped(hover));
        m_out += inner.isEmpty() ? QStringLiteral("/>\n") : QStringLiteral(">%1</%2>\n").arg(inner, element);
    }

    const Chart& m_chart;
    const Palette& m_palette;
    const SvgOptions& m_options;
    QString m_out;
};

} // namespace

const Palette& lightPalette()
{
    return light;
}
const Palette& darkPalette()
{
    return dark;
}
const char* nameOf(Ink ink)
{
    return names[std::size_t(ink)];
}

QString svgOf(const Drawing& drawing, const Chart& chart, const SvgOptions& options)
{
    return Writer(chart, options).write(drawing);
}

QString svgOf(const Chart& chart, const QSizeF& size, const ChartStyle& style, const SvgOptions& options)
{
    return svgOf(layOut(chart, size, style), chart, options);
}

} // namespace cudal1::charts
