// SPDX-License-Identifier: GPL-3.0-or-later
// The theme's fonts, spacing, palette and the way it follows the system.
#include "ui/kit/theme.h"

#include "ui/kit/focusring.h"
#include "ui/kit/stylesheet.h"
#include "ui/kit/themeicon.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>

#include <algorithm>
#include <cmath>

/// The library is static: without this call the linker leaves its resources out.
static void registerResources()
{
    Q_INIT_RESOURCE(workbench);
}

namespace cudal1::ui {

namespace {

double channel(double value)
{
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

/// A box, or a circle, whose outline stands out from either theme's surface; Fusion's is drawn for a light one.
void drawIndicator(QPainter& painter, const QRect& rect, QStyle::State state, bool round)
{
    const auto color = [enabled = bool(state & QStyle::State_Enabled)](Role role) {
        return Theme::instance().color(enabled ? role : Role::Disabled);
    };
    const bool on = state & (QStyle::State_On | QStyle::State_NoChange);
    const qreal side = std::min(rect.width(), rect.height()) - 1;
    QRectF box(0, 0, side, side);
    box.moveCenter(QRectF(rect).center());
    const qreal radius = round ? side / 2 : side / 5;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Role outline = on || state & (QStyle::State_MouseOver | QStyle::State_HasFocus) ? Role::Accent : Role::Muted;
    painter.setPen(QPen(color(outline), 1));
    painter.setBrush(on && !round ? color(Role::Accent) : Theme::instance().color(Role::Surface));
    painter.drawRoundedRect(box, radius, radius);
    const auto at = [&box](qreal x, qreal y) { return QPointF(box.x() + x * box.width(), box.y() + y * box.height()); };
    if (on && round) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(Role::Accent));
        painter.drawEllipse(box.center(), side / 4, side / 4);
    } else if (on) {
        painter.setPen(
            QPen(Theme::instance().color(Role::AccentText), side / 8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(state & QStyle::State_On ? QPolygonF{at(0.24, 0.52), at(0.43, 0.71), at(0.77, 0.3)}
                                                      : QPolygonF{at(0.25, 0.5), at(0.75, 0.5)});
    }
    painter.restore();
}

/// Fusion with what a style sheet cannot say: no mnemonic underlines, quick tool tips, icons of the grid's size, boxes
/// to tick.
class Style : public QProxyStyle {
public:
    Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        switch (metric) {
        case PM_SmallIconSize:
        case PM_ToolBarIconSize:
        case PM_ButtonIconSize:
        case PM_ListViewIconSize: return Theme::instance().unit(4);
        case PM_FocusFrameHMargin:
        case PM_FocusFrameVMargin: return 0; // many controls fill their place to its edge
        case PM_SplitterWidth:
        case PM_DockWidgetSeparatorExtent: return std::max(1, Theme::instance().unit(1));
        default: return QProxyStyle::pixelMetric(metric, option, widget);
        }
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override
    {
        switch (element) {
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck:
        case PE_IndicatorRadioButton:
            return drawIndicator(*painter, option->rect, option->state, element == PE_IndicatorRadioButton);
        default: QProxyStyle::drawPrimitive(element, option, painter, widget);
        }
    }

    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override
    {
        if (element != CE_FocusFrame)
            return QProxyStyle::drawControl(element, option, painter, widget);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(Theme::instance().color(Role::Accent), 2));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 3, 3);
        painter->restore();
    }

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override
    {
        switch (hint) {
        case SH_UnderlineShortcut: return 0;
        case SH_FocusFrame_AboveWidget: return 1;
        case SH_FocusFrame_Mask: return 0;
        case SH_ToolTip_WakeUpDelay: return 400;
        case SH_ItemView_ShowDecorationSelected: return 1;
        case SH_ComboBox_Popup:
        case SH_DialogButtonBox_ButtonsHaveIcons: return 0; // the icons of some desktops are black on dark
        default: return QProxyStyle::styleHint(hint, option, widget, data);
        }
    }
};

QPalette makePalette(bool dark)
{
    const auto color = [dark](Role role) { return Theme::color(role, dark); };
    QPalette p;
    p.setColor(QPalette::Window, color(Role::Window));
    p.setColor(QPalette::WindowText, color(Role::Text));
    p.setColor(QPalette::Base, color(Role::Surface));
    p.setColor(QPalette::AlternateBase, color(Role::Raised));
    p.setColor(QPalette::Text, color(Role::Text));
    p.setColor(QPalette::PlaceholderText, color(Role::Muted));
    p.setColor(QPalette::Button, color(Role::Raised));
    p.setColor(QPalette::ButtonText, color(Role::Text));
    p.setColor(QPalette::BrightText, color(Role::Text));
    p.setColor(QPalette::Highlight, color(Role::Selected));
    p.setColor(QPalette::HighlightedText, color(Role::Text));
    p.setColor(QPalette::Link, color(Role::Link));
    p.setColor(QPalette::LinkVisited, color(Role::Link));
    p.setColor(QPalette::ToolTipBase, color(Role::Raised));
    p.setColor(QPalette::ToolTipText, color(Role::Text));
    p.setColor(QPalette::Light, color(Role::Surface));
    p.setColor(QPalette::Midlight, color(Role::Hover));
    p.setColor(QPalette::Mid, color(Role::Border));
    p.setColor(QPalette::Dark, color(Role::Border));
    p.setColor(QPalette::Shadow, dark ? QColor(0, 0, 0, 160) : QColor(0, 0, 0, 60));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, color(Role::Disabled));
    return p;
}

} // namespace

double contrast(const QColor& a, const QColor& b)
{
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

Theme::Theme() = default;

Theme& Theme::instance()
{
    static Theme theme;
    return theme;
}

void Theme::prepare(QApplication& application, double points)
{
    m_application = &application;
    registerResources();
    application.setStyle(new Style);
    m_given = application.font();
    application.setFont(fontOf(points));
    application.installEventFilter(this);
    FocusRing::install(application);
    m_dark = m_mode == Mode::Dark || (m_mode == Mode::System && systemIsDark());
    refresh();
}

QFont Theme::fontOf(double points) const
{
    QFont font = m_given;
    if (qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP")) {
        // Without a desktop's theme Qt falls back to whatever "sans" is; these are preferred where they are installed.
        font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QFontInfo(m_given).family()});
        font.setPointSizeF(points);
    } else if (font.pointSizeF() > 0) {
        font.setPointSizeF(font.pointSizeF() * points / 10);
    }
    return font;
}

void Theme::setPoints(double points)
{
    if (!m_application || fontOf(points) == m_application->font())
        return;
    m_application->setFont(fontOf(points));
    refresh();
}

void Theme::dress()
{
    m_dressed = true;
    m_application->setStyleSheet(styleSheet(*this));
}

void Theme::install(QApplication& application, double points)
{
    prepare(application, points);
    dress();
}

void Theme::setMode(Mode mode)
{
    m_mode = mode;
    const bool dark = mode == Mode::Dark || (mode == Mode::System && systemIsDark());
    if (!m_application || dark == m_dark)
        return;
    m_dark = dark;
    refresh();
}

void Theme::refresh()
{
    m_applying = true;
    m_application->setPalette(makePalette(m_dark));
    if (m_dressed)
        dress();
    m_applying = false;
    emit changed();
}

bool Theme::systemIsDark() const
{
    // Qt 6.4 has no colour scheme hint; what the platform theme proposes as palette tells. Ours is set as the
    // application's, so the style's standard palette is not asked.
    const QPalette system = QGuiApplication::palette();
    if (m_application && m_application->styleSheet().isEmpty())
        return luminance(system.color(QPalette::Window)) < luminance(system.color(QPalette::WindowText));
    const QByteArray gtk = qgetenv("GTK_THEME");
    return gtk.toLower().contains("dark") || (m_application && m_application->property("systemDark").toBool());
}

bool Theme::eventFilter(QObject* watched, QEvent* event)
{
    // A desktop that switches its scheme sends its palette to the application; we note which it is and put ours back.
    if (watched == m_application && event->type() == QEvent::ApplicationPaletteChange && !m_applying) {
        const QPalette palette = QGuiApplication::palette();
        const bool dark = luminance(palette.color(QPalette::Window)) < luminance(palette.color(QPalette::WindowText));
        m_application->setProperty("systemDark", dark);
        if (m_mode == Mode::System && dark != m_dark) {
            m_dark = dark;
            QMetaObject::invokeMethod(this, &Theme::refresh, Qt::QueuedConnection);
        }
    }
    return QObject::eventFilter(watched, event);
}

int Theme::unit(int count) const
{
    const double points = QApplication::font().pointSizeF();
    const double scale = points > 0 ? points / 10.0 : 1.0;
    return int(std::lround(4.0 * scale * count));
}

QFont Theme::textFont() const
{
    return QApplication::font();
}

QFont Theme::monoFont() const
{
    // One family that is installed, since code editors take a font by the name of its family alone.
    static const QString family = [] {
        for (const char* wanted : {"JetBrains Mono", "Cascadia Mono", "DejaVu Sans Mono"})
            if (QFontInfo(QFont(QLatin1String(wanted))).family() == QLatin1String(wanted))
                return QString::fromLatin1(wanted);
        return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    }();
    QFont font(family);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPointSizeF(textFont().pointSizeF() * 0.95);
    return font;
}

QFont Theme::smallFont() const
{
    QFont font = textFont();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    return font;
}

QFont Theme::titleFont(int level) const
{
    QFont font = textFont();
    font.setPointSizeF(font.pointSizeF() * (level == 0 ? 2.0 : level == 1 ? 1.5 : 1.1));
    font.setWeight(QFont::DemiBold);
    return font;
}

QColor Theme::levelColor(int level) const
{
    return color(level == 1 ? Role::Level1 : level == 2 ? Role::Level2 : level == 3 ? Role::Level3 : Role::Level0);
}

QIcon Theme::icon(const QString& name, Role role) const
{
    return QIcon(new ThemeIcon(name, role));
}

} // namespace cudal1::ui
