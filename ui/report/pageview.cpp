// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the pages that are in view; each is drawn once and kept while it is near.
#include "ui/report/pageview.h"

#include "core/pages/paint.h"
#include "ui/kit/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

namespace {

constexpr int most = 8; ///< pictures that are kept

} // namespace

PageView::PageView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Preview of the report"));
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void PageView::setPages(std::shared_ptr<const pages::Paged> paged)
{
    m_paged = std::move(paged);
    m_pictures.clear();
    layOut();
    viewport()->update();
}

QSizeF PageView::pageSize() const
{
    const Theme& theme = Theme::instance();
    const double width = std::clamp(viewport()->width() - 2.0 * theme.unit(4), 100.0, double(theme.unit(230))) * m_zoom;
    return {width, width * pages::pageHeight / pages::pageWidth};
}

double PageView::pageTop(int page) const
{
    const int gap = Theme::instance().unit(4);
    return gap + page * (pageSize().height() + gap);
}

void PageView::layOut()
{
    const QSizeF size = pageSize();
    const int gap = Theme::instance().unit(4);
    QScrollBar *down = verticalScrollBar(), *across = horizontalScrollBar();
    down->setRange(0, std::max(0, int(std::ceil(pageTop(pageCount()))) - viewport()->height()));
    down->setPageStep(viewport()->height());
    down->setSingleStep(gap * 3);
    across->setRange(0, std::max(0, int(size.width()) + 2 * gap - viewport()->width()));
    across->setPageStep(viewport()->width());
    across->setSingleStep(gap * 3);
}

void PageView::resizeEvent(QResizeEvent* event)
{
    const double part = verticalScrollBar()->maximum() > 0
                          ? double(verticalScrollBar()->value()) / verticalScrollBar()->maximum()
                          : 0;
    QAbstractScrollArea::resizeEvent(event);
    m_pictures.clear();
    layOut();
    verticalScrollBar()->setValue(int(part * verticalScrollBar()->maximum()));
}

int PageView::currentPage() const
{
    const double each = pageTop(1) - pageTop(0);
    return std::clamp(int((verticalScrollBar()->value() + viewport()->height() / 2.0) / each), 0,
                      std::max(0, pageCount() - 1));
}

void PageView::goToPage(int page)
{
    verticalScrollBar()->setValue(int(pageTop(page)) - Theme::instance().unit(4));
}

void PageView::setZoom(double zoom)
{
    const double middle = verticalScrollBar()->value() + viewport()->height() / 2.0;
    const double before = m_zoom;
    m_zoom = std::clamp(zoom, 0.3, 4.0);
    m_pictures.clear();
    layOut();
    verticalScrollBar()->setValue(int(middle * m_zoom / before - viewport()->height() / 2.0));
    viewport()->update();
}

void PageView::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier)
        setZoom(m_zoom * std::pow(1.0015, event->angleDelta().y()));
    else
        QAbstractScrollArea::wheelEvent(event);
}

void PageView::keyPressEvent(QKeyEvent* event)
{
    const bool control = event->modifiers() & Qt::ControlModifier;
    if (control && (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal))
        setZoom(m_zoom * 1.2);
    else if (control && event->key() == Qt::Key_Minus)
        setZoom(m_zoom / 1.2);
    else if (control && event->key() == Qt::Key_0)
        setZoom(1);
    else if (event->key() == Qt::Key_Home)
        verticalScrollBar()->setValue(0);
    else if (event->key() == Qt::Key_End)
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    else
        QAbstractScrollArea::keyPressEvent(event);
}

const QPixmap& PageView::picture(int page)
{
    const auto found = m_pictures.constFind(page);
    if (found != m_pictures.constEnd())
        return *found;
    if (m_pictures.size() >= most) { // the one farthest away goes
        int farthest = m_pictures.begin().key();
        for (auto it = m_pictures.constBegin(); it != m_pictures.constEnd(); ++it)
            if (std::abs(it.key() - page) > std::abs(farthest - page))
                farthest = it.key();
        m_pictures.remove(farthest);
    }
    const QSizeF size = pageSize();
    const double ratio = devicePixelRatioF();
    QPixmap pixmap((size * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::white); // paper, in every theme
    QPainter painter(&pixmap);
    painter.scale(size.width() / pages::pageWidth, size.width() / pages::pageWidth);
    pages::paint(painter, *m_paged, std::size_t(page));
    return *m_pictures.insert(page, pixmap);
}

void PageView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const Theme& theme = Theme::instance();
    painter.fillRect(viewport()->rect(), theme.color(Role::Window));
    const QSizeF size = pageSize();
    const double x = std::max((viewport()->width() - size.width()) / 2, double(theme.unit(4))) -
                     horizontalScrollBar()->value();
    for (int page = 0; page < pageCount(); ++page) {
        const double y = pageTop(page) - verticalScrollBar()->value();
        if (y + size.height() < 0)
            continue;
        if (y > viewport()->height())
            break;
        const QPointF at(std::round(x), std::round(y));
        painter.drawPixmap(at, picture(page));
        painter.setPen(theme.color(Role::Border));
        painter.drawRect(QRectF(at, size).adjusted(-0.5, -0.5, 0.5, 0.5));
    }
}

} // namespace cudal1::ui
