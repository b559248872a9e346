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
/// At the right end of `area`, with the word elided where the area is narrower; nothing where it is too narrow to read.
/// Gives the width that is taken.
int paintBadge(QPainter& painter, const QRect& area, const QString& word, Role role);

/// Cells with a BadgeRole have it behind their text.
class BadgeDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace cudal1::ui
