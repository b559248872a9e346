// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of a chart and pointing in it.
#include "ui/charts/chartview.h"

#include "ui/kit/theme.h"

#include <QAccessible>
#include <QFontInfo>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace cudal1::ui {

charts::Colors chartColors()
{
    const Theme& theme = Theme::instance();
    charts::Colors colors;
    constexpr Role roles[]{Role::Surface, Role::Text,   Role::Muted, Role::Border,  Role::Reference,
                           Role::Variant, Role::Gain,   Role::Loss,  Role::Warning, Role::Level0,
                           Role::Level1,  Role::Level2, Role::Level3};
    static_assert(std::size(roles) == std::tuple_size_v<charts::Colors>);
    std::transform(std::begin(roles), std::end(roles), colors.begin(),
                   [&theme](Role role) { return theme.color(role); });
    return colors;
}

ChartView::ChartView(QWidget* parent) : QWidget(parent), m_chart(std::make_shared<charts::Chart>())
{
    setObjectName(QStringLiteral("chart"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&Theme::instance(), &Theme::changed, this, &ChartView::arrange);
}

QSize ChartView::sizeHint() const
{
    return {Theme::instance().unit(150), Theme::instance().unit(85)};
}

QSize ChartView::minimumSizeHint() const
{
    const Theme& theme = Theme::instance();
    return {theme.unit(60), std::max(theme.unit(50), int(charts::readableHeight(*m_chart, drawnIn())))};
}

void ChartView::setChart(std::shared_ptr<const charts::Chart> chart)
{
    m_chart = std::move(chart);
    m_reached = -1;
    setAccessibleName(m_chart->title);
    setAccessibleDescription(m_chart->inWords());
    updateGeometry();
    arrange();
}

void ChartView::setChosen(const std::set<std::string>& keys, const std::function<bool(const base::TaskId&)>& leaves)
{
    m_chosen.clear();
    bool levels = true;
    for (const charts::Mark& mark : m_chart->marks)
        if (keys.contains(mark.key)) {
            m_chosen.insert(mark.key);
            levels = levels && mark.key.starts_with("level:");
        }
    if (!m_chosen.empty() && levels)
        for (const charts::Mark& mark : m_chart->marks)
            if (!mark.key.starts_with("level:") && std::any_of(mark.tasks.begin(), mark.tasks.end(), leaves))
                m_chosen.insert(mark.key);
    update();
}

QString ChartView::hoverText() const
{
    return m_reached < 0 ? QString() : at(m_reached).hover;
}

QPointF ChartView::margin() const
{
    const double unit = Theme::instance().unit(1);
    return {2 * unit, unit};
}

charts::ChartStyle ChartView::drawnIn() const
{
    charts::ChartStyle style;
    style.font = QFontInfo(Theme::instance().smallFont()).pixelSize();
    return style;
}

void ChartView::arrange()
{
    const QPointF room = margin() * 2;
    m_drawing = charts::layOut(*m_chart, {std::max(1.0, width() - room.x()), std::max(1.0, height() - room.y())},
                               drawnIn());
    update();
}

void ChartView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void ChartView::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::instance();
    QPainter painter(this);
    painter.translate(margin());
    charts::paint(painter, m_drawing, chartColors(), theme.smallFont(),
                  [this](int mark) { return !m_chosen.empty() && !m_chosen.contains(at(mark).key); });
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    if (const charts::Target* target = m_reached >= 0 ? m_drawing.targetOf(m_reached) : nullptr) {
        painter.setPen(QPen(theme.color(Role::Accent), 1.5));
        // A band of a curve is shown by its vertex.
        const bool vertex = !m_chart->series.empty() && m_chart->series.front().look == charts::Series::Look::Steps &&
                            target->area.height() >= m_drawing.plot.height();
        if (vertex)
            painter.drawEllipse(target->centre, theme.unit(1), theme.unit(1));
        else
            painter.drawRoundedRect(target->area.adjusted(-1, -1, 1, 1), theme.unit(1) / 2.0, theme.unit(1) / 2.0);
    }
    painter.translate(-margin());
    if (hasFocus()) {
        painter.setPen(QPen(theme.color(Role::Accent), 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.unit(1), theme.unit(1));
    }
}

void ChartView::reach(int mark)
{
    if (mark == m_reached)
        return;
    m_reached = mark;
    setCursor(mark >= 0 && !at(mark).chip.isEmpty() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleDescription(mark < 0 ? m_chart->inWords() : at(mark).hover);
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    update();
}

bool ChartView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) // shown at once by mouseMoveEvent()
        return true;
    return QWidget::event(event);
}

void ChartView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF place = event->position() - margin();
    reach(m_drawing.markAt(place));
    if (m_reached >= 0)
        QToolTip::showText(event->globalPosition().toPoint(), at(m_reached).hover, this);
    else if (place.y() < m_drawing.plot.top() && isNoteCut())
        QToolTip::showText(event->globalPosition().toPoint(), m_chart->note, this);
    else
        QToolTip::hideText();
}

/// What stands under the title has no room for all of it.
bool ChartView::isNoteCut() const
{
    return std::any_of(m_drawing.shapes.begin(), m_drawing.shapes.end(), [this](const charts::DrawnShape& shape) {
        return shape.text.endsWith(QChar(0x2026)) && shape.points.front().y() < m_drawing.plot.top() &&
               m_chart->note.contains(shape.text.chopped(1));
    });
}

void ChartView::leaveEvent(QEvent*)
{
    reach(-1);
}

void ChartView::mousePressEvent(QMouseEvent* event)
{
    const int mark = m_drawing.markAt(event->position() - margin());
    if (event->button() != Qt::LeftButton || mark < 0)
        return QWidget::mousePressEvent(event);
    reach(mark);
    if (!at(mark).chip.isEmpty())
        emit clicked(charts::Mark(at(mark)));
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int mark = m_drawing.markAt(event->position() - margin());
    if (event->button() == Qt::LeftButton && mark >= 0)
        emit activated(charts::Mark(at(mark)));
}

void ChartView::keyPressEvent(QKeyEvent* event)
{
    const bool rows = m_chart->y.scale == charts::AxisScale::Words;
    const int step = event->key() == Qt::Key_Left || (rows && event->key() == Qt::Key_Up)    ? -1
                   : event->key() == Qt::Key_Right || (rows && event->key() == Qt::Key_Down) ? 1
                                                                                             : 0;
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
    if (step != 0 && !m_drawing.targets.empty()) {
        std::vector<const charts::Target*> inOrder; // as they are seen, not series by series
        for (const charts::Target& target : m_drawing.targets)
            inOrder.push_back(&target);
        std::stable_sort(inOrder.begin(), inOrder.end(), [rows](const charts::Target* a, const charts::Target* b) {
            const auto place = [rows](const QPointF& p) {
                return rows ? std::pair(p.y(), p.x()) : std::pair(p.x(), -p.y());
            };
            return place(a->centre) < place(b->centre);
        });
        const int count = int(inOrder.size());
        int place = step > 0 ? -1 : count;
        for (int i = 0; i < count; ++i)
            if (inOrder[std::size_t(i)]->mark == m_reached)
                place = i;
        place = std::clamp(place + step, 0, count - 1);
        const charts::Target& target = *inOrder[std::size_t(place)];
        reach(target.mark);
        QToolTip::showText(mapToGlobal((target.centre + margin()).toPoint()), at(target.mark).hover, this);
    } else if (enter && m_reached >= 0) {
        const charts::Mark mark = at(m_reached);
        if (event->modifiers() & Qt::ControlModifier)
            emit activated(mark);
        else if (!mark.chip.isEmpty())
            emit clicked(mark);
    } else if (event->key() == Qt::Key_Escape && (m_reached >= 0 || !m_chosen.empty())) {
        reach(-1);
        QToolTip::hideText();
        emit released();
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace cudal1::ui
