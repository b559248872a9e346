// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the cards.
#include "ui/compare/carddelegate.h"

#include "ui/compare/stripmodel.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

#include <QPainter>

namespace cudal1::ui {

namespace {

QRect frameOf(const QRect& card)
{
    const int gap = Theme::instance().unit(1);
    return card.adjusted(gap, gap, -gap, -gap);
}

QRect badge(const QRect& card, int fromRight)
{
    const Theme& theme = Theme::instance();
    const QRect frame = frameOf(card);
    const int size = theme.unit(5);
    return {frame.right() - theme.unit(1) - size * fromRight - theme.unit(1) * (fromRight - 1),
            frame.top() + theme.unit(1), size, size};
}

void paintSide(QPainter& painter, const QRect& rect, const QString& letter, bool on, bool hovered)
{
    const Theme& theme = Theme::instance();
    if (!on && !hovered)
        return;
    painter.setPen(on ? Qt::NoPen : QPen(theme.color(Role::Border), 1));
    painter.setBrush(on ? QBrush(theme.color(Role::Accent)) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), theme.unit(1), theme.unit(1));
    QFont bold = theme.smallFont();
    bold.setWeight(QFont::Bold);
    painter.setFont(bold);
    painter.setPen(theme.color(on ? Role::AccentText : Role::Muted));
    painter.drawText(rect, Qt::AlignCenter, letter);
}

QRect innerOf(const QRect& card)
{
    const Theme& theme = Theme::instance();
    return frameOf(card).adjusted(theme.unit(2), theme.unit(1), -theme.unit(2), -theme.unit(1));
}

QFont numberFont()
{
    QFont number = Theme::instance().monoFont();
    number.setWeight(QFont::DemiBold);
    return number;
}

/// The line of the speed-up, under that of the name.
QRect secondLine(const QRect& card)
{
    const Theme& theme = Theme::instance();
    const QRect inner = innerOf(card);
    return {inner.left(), inner.top() + QFontMetrics(theme.textFont()).height() + theme.unit(1), inner.width(),
            QFontMetrics(theme.monoFont()).height() + theme.unit(1)};
}

/// What its number leaves.
QRect behindNumber(const QRect& card, const base::Interval& wall)
{
    return secondLine(card).adjusted(
        QFontMetrics(numberFont()).horizontalAdvance(speedupPhrase(wall)) + Theme::instance().unit(2), 0, 0, 0);
}

/// The badges A and B stand at the left of a line.
QRect lineBadge(const QRect& line, int fromLeft)
{
    const Theme& theme = Theme::instance();
    const int size = std::min(theme.unit(5), line.height() - 2);
    return {line.left() + theme.unit(2) + fromLeft * (size + theme.unit(1)), line.center().y() - size / 2, size, size};
}

/// Behind name and verdict, so that numbers stand below each other.
QRect lineNumbers(const QRect& line)
{
    const Theme& theme = Theme::instance();
    return {lineBadge(line, 2).left() + theme.unit(54), line.top(), theme.unit(64), line.height()};
}

QRect behindLineNumber(const QRect& line)
{
    return lineNumbers(line).adjusted(QFontMetrics(numberFont()).horizontalAdvance(QStringLiteral("unclear  ")), 0, 0,
                                      0);
}

/// Of a correct variant; invalid for another.
base::Interval speedupOf(const store::VariantRow* row)
{
    return row && row->evaluation && row->evaluation->verdict == protocol::Verdict::Correct ? row->evaluation->wall
                                                                                            : base::Interval();
}

/// Mark and name.
void paintName(QPainter& painter, const QRect& line, const VerdictStyle& style, const QString& name)
{
    const Theme& theme = Theme::instance();
    const int mark = theme.unit(4);
    theme.icon(style.icon, style.role)
        .paint(&painter, QRect(line.left(), line.top() + (line.height() - mark) / 2, mark, mark));
    QFont bold = theme.textFont();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme.color(Role::Text));
    painter.drawText(line.adjusted(mark + theme.unit(1), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
}

VerdictStyle styleOf(const store::VariantRow* row)
{
    return row ? verdictStyle(*row)
               : VerdictStyle{CardDelegate::tr("what is measured against"), QStringLiteral("reference"), Role::Muted};
}

QString belowNumber(const store::VariantRow& row)
{
    if (!row.baseline.empty())
        return CardDelegate::tr("baseline");
    const QString techniques = techniquesText(row.techniques);
    return row.counts || !row.evaluation
             ? techniques
             : CardDelegate::tr("at %1: %2")
                   .arg(QString::fromUtf8(protocol::toString(row.evaluation->precision)), techniques);
}

} // namespace

CardDelegate::CardDelegate(const StripModel& model, QObject* parent) : BadgedDelegate(parent), m_model(model) {}

QSize CardDelegate::cardSize()
{
    const Theme& theme = Theme::instance();
    const int lines = QFontMetrics(theme.textFont()).height() + QFontMetrics(theme.monoFont()).height() +
                      QFontMetrics(theme.smallFont()).height();
    return {theme.unit(48), lines + theme.unit(6)};
}

int CardDelegate::lineHeight()
{
    return QFontMetrics(Theme::instance().textFont()).height() + Theme::instance().unit(2);
}

QRect CardDelegate::leftBadge(const QRect& card) const
{
    return m_list ? lineBadge(card, 0) : badge(card, 2);
}

QSize CardDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return m_list ? QSize(cardSize().width(), lineHeight()) : cardSize();
}

void CardDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = Theme::instance();
    const bool left = index.data(StripModel::LeftRole).toBool(), right = index.data(StripModel::RightRole).toBool();
    const bool hovered = option.state & QStyle::State_MouseOver;
    const bool focused = option.state & QStyle::State_HasFocus;
    const QRectF frame = QRectF(m_list ? option.rect : frameOf(option.rect)).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool framed = left || right || focused;
    painter->setPen(m_list && !focused
                        ? QPen(Qt::NoPen)
                        : QPen(theme.color(framed ? Role::Accent : Role::Border), left || right ? 1.5 : 1));
    painter->setBrush(theme.color(m_list && (left || right) ? Role::Selected : hovered ? Role::Hover : Role::Surface));
    painter->drawRoundedRect(frame, m_list ? 0 : theme.unit(1), m_list ? 0 : theme.unit(1));
    paintSide(*painter, m_list ? lineBadge(option.rect, 0) : badge(option.rect, 2), QStringLiteral("A"), left, hovered);
    paintSide(*painter, m_list ? lineBadge(option.rect, 1) : badge(option.rect, 1), QStringLiteral("B"), right,
              hovered);
    if (m_list)
        paintLine(*painter, option.rect, index);
    else
        paintCard(*painter, option.rect, index);
    painter->restore();
}

void CardDelegate::paintLine(QPainter& painter, const QRect& line, const QModelIndex& index) const
{
    const Theme& theme = Theme::instance();
    const store::VariantRow* row = m_model.variant(index.row());
    const VerdictStyle style = styleOf(row);
    const QRect numbers = lineNumbers(line);
    const QRect names(lineBadge(line, 2).left(), line.top(), numbers.left() - lineBadge(line, 2).left(), line.height());
    paintName(painter, names, style, index.data().toString());
    painter.setFont(theme.smallFont());
    painter.setPen(theme.color(style.role));
    painter.drawText(names.adjusted(theme.unit(26), 0, row ? 0 : line.right() - names.right(), 0),
                     Qt::AlignLeft | Qt::AlignVCenter, style.word);
    if (!row)
        return;
    if (const base::Interval wall = speedupOf(row); wall.valid()) {
        const std::string marks = marksOf(*row);
        const Role role = speedupRole(wall, marks);
        painter.setFont(numberFont());
        painter.setPen(theme.color(role));
        painter.drawText(numbers, Qt::AlignLeft | Qt::AlignVCenter, speedupPhrase(wall));
        const QRect rest = behindLineNumber(line);
        paintBadge(painter, rest, marksBadge(marks), role);
        painter.setFont(theme.smallFont());
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, intervalText(wall));
    }
    const QRect techniques(numbers.right() + theme.unit(4), line.top(), line.right() - numbers.right() - theme.unit(6),
                           line.height());
    painter.setFont(theme.smallFont());
    painter.setPen(theme.color(Role::Muted));
    painter.drawText(techniques, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(belowNumber(*row), Qt::ElideRight, techniques.width()));
}

void CardDelegate::paintCard(QPainter& painter, const QRect& card, const QModelIndex& index) const
{
    const Theme& theme = Theme::instance();
    const store::VariantRow* row = m_model.variant(index.row());
    const VerdictStyle style = styleOf(row);
    const QRect inner = innerOf(card);
    paintName(painter,
              QRect(inner.left(), inner.top(), inner.width(), QFontMetrics(theme.textFont()).height() + theme.unit(1)),
              style, index.data().toString());

    const QRect second = secondLine(card);
    const base::Interval wall = speedupOf(row);
    if (wall.valid()) {
        painter.setFont(numberFont());
        const std::string marks = marksOf(*row);
        const Role role = speedupRole(wall, marks);
        painter.setPen(theme.color(role));
        const QString interval = intervalText(wall);
        painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, speedupPhrase(wall));
        QRect rest = behindNumber(card, wall);
        rest.setRight(rest.right() - paintBadge(painter, rest, marksBadge(marks), role));
        painter.setFont(theme.smallFont());
        painter.setPen(theme.color(Role::Muted));
        if (painter.fontMetrics().horizontalAdvance(interval) <= rest.width()) // else it stands in the tool tip
            painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, interval);
    } else {
        painter.setFont(theme.textFont());
        painter.setPen(theme.color(style.role));
        painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, style.word);
    }
    if (row) {
        const QFontMetrics metrics(theme.smallFont());
        painter.setFont(theme.smallFont());
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(QRect(inner.left(), second.bottom() + 1, inner.width(), metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(belowNumber(*row), Qt::ElideRight, inner.width()));
    }
}

QRect CardDelegate::badgeRect(const QRect& cell, const QModelIndex& index) const
{
    const store::VariantRow* row = m_model.variant(index.row());
    const base::Interval wall = speedupOf(row);
    return wall.valid() ? badgeIn(m_list ? behindLineNumber(cell) : behindNumber(cell, wall), marksBadge(marksOf(*row)))
                        : QRect();
}

} // namespace cudal1::ui
