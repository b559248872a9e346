// SPDX-License-Identifier: GPL-3.0-or-later
// A word in a frame behind a speed-up that must not be taken at its face: marksBadge().
#pragma once

#include "ui/kit/theme.h"

#include <QStyledItemDelegate>

class QPainter;

namespace cudal1::ui {

/// Item data role with the word of a cell's badge, and its colour in Qt::ForegroundRole; none where it is empty.
inline constexpr int BadgeRole = 0x0100 + 0x1001; // Qt::UserRole + 0x1001

/// With a gap before it.
int badgeWidth(const QString& word);
/// Where it stands: at the right end of `area`, narrower than its word where the area is; empty where that is too
/// narrow to read.
QRect badgeIn(const QRect& area, const QString& word);
/// There; gives the width that is taken, with the gap.
int paintBadge(QPainter& painter, const QRect& area, const QString& word, Role role);

/// Paints cells of which some have a badge.
class BadgedDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    /// Of the cell that is painted at `cell`; empty where none is.
    virtual QRect badgeRect(const QRect& cell, const QModelIndex& index) const = 0;
};

/// Cells with a BadgeRole have it behind their text.
class BadgeDelegate : public BadgedDelegate {
    Q_OBJECT
public:
    using BadgedDelegate::BadgedDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QRect badgeRect(const QRect& cell, const QModelIndex& index) const override;
};

} // namespace cudal1::ui
