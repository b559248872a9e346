// SPDX-License-Identifier: GPL-3.0-or-later
// Choosing the sides of a comparison by mouse and keyboard.
#include "ui/compare/variantstrip.h"

#include "ui/compare/carddelegate.h"
#include "ui/compare/stripmodel.h"
#include "ui/kit/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

namespace cudal1::ui {

VariantStrip::VariantStrip(QWidget* parent)
    : QListView(parent), m_model(new StripModel(this)), m_cards(new CardDelegate(*m_model, this))
{
    setObjectName(QStringLiteral("variantStrip"));
    setAccessibleName(tr("Variants to compare"));
    setModel(m_model);
    setItemDelegate(m_cards);
    setFlow(QListView::LeftToRight);
    setWrapping(false);
    setUniformItemSizes(true);
    setMouseTracking(true);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, viewport(), QOverload<>::of(&QWidget::update));
}

QSize VariantStrip::sizeHint() const
{
    const int lines = m_cards->isList() ? 8 * m_cards->lineHeight() : CardDelegate::cardSize().height();
    return {Theme::instance().unit(100), lines + Theme::instance().unit(3)};
}

QSize VariantStrip::minimumSizeHint() const
{
    return {CardDelegate::cardSize().width(), sizeHint().height()};
}

void VariantStrip::setList(bool list)
{
    m_cards->setList(list);
    setFlow(list ? QListView::TopToBottom : QListView::LeftToRight);
    setVerticalScrollBarPolicy(list ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(list ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    updateGeometry();
    scheduleDelayedItemsLayout();
    scrollTo(currentIndex());
}

void VariantStrip::chooseFirst()
{
    choose(m_model->index(std::min(1, m_model->rowCount() - 1)), false);
}

void VariantStrip::setRows(std::shared_ptr<const std::vector<store::VariantRow>> rows)
{
    const qlonglong current = currentIndex().data(StripModel::IdRole).toLongLong();
    const int place = horizontalScrollBar()->value();
    m_model->setRows(std::move(rows));
    setCurrentIndex(m_model->index(std::max(0, m_model->rowOf({current}))));
    horizontalScrollBar()->setValue(place);
}

void VariantStrip::setCompared(base::VariantId left, base::VariantId right)
{
    m_model->setCompared(left, right);
    if (const int row = m_model->rowOf(right); row >= 0) {
        setCurrentIndex(m_model->index(row));
        scrollTo(m_model->index(row));
    }
}

void VariantStrip::choose(const QModelIndex& index, bool toLeft)
{
    if (!index.isValid())
        return;
    const base::VariantId id{index.data(StripModel::IdRole).toLongLong()};
    if (toLeft)
        emit leftRequested(id);
    else
        emit rightRequested(id);
}

void VariantStrip::mouseReleaseEvent(QMouseEvent* event)
{
    QListView::mouseReleaseEvent(event);
    const QModelIndex index = indexAt(event->pos());
    if (event->button() == Qt::LeftButton && index == currentIndex())
        choose(index,
               event->modifiers() & Qt::ShiftModifier || m_cards->leftBadge(visualRect(index)).contains(event->pos()));
}

void VariantStrip::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_A: choose(currentIndex(), true); return;
    case Qt::Key_B:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: choose(currentIndex(), false); return;
    default: QListView::keyPressEvent(event);
    }
}

void VariantStrip::wheelEvent(QWheelEvent* event)
{
    // A plain wheel has no sideways axis, and the strip has no other.
    if (!m_cards->isList() && event->angleDelta().x() == 0) {
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - event->angleDelta().y() / 2);
        event->accept();
    } else {
        QListView::wheelEvent(event);
    }
}

} // namespace cudal1::ui
