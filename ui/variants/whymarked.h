// SPDX-License-Identifier: GPL-3.0-or-later
// Why a speed-up has a badge: a panel that opens beside it, by a click on the badge or by the keyboard.
#pragma once

#include "core/base/ids.h"

#include <QFrame>

#include <functional>

class QAbstractItemView;
class QLabel;
class QModelIndex;

namespace cudal1::ui {

class InfoView;
class ProjectModel;

/// A popup: Esc or a click elsewhere closes it, and it deletes itself.
class WhyMarked : public QFrame {
    Q_OBJECT
public:
    /// Below `area` of `beside`, or above it where the screen ends. It fills when the evaluation has been read.
    static void open(ProjectModel& project, base::VariantId variant, QWidget* beside, const QRect& area);
    /// The same for a badge that is a link in a label's text; where Tab shall reach it, the label must say so.
    static void follow(QLabel* label, ProjectModel& project, std::function<base::VariantId()> variant);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    WhyMarked(ProjectModel& project, base::VariantId variant, QWidget* beside, const QRect& area);
    void fill();
    void place();

    ProjectModel& m_project;
    base::VariantId m_variant;
    QRect m_beside; ///< on the screen
    InfoView* m_text;
};

/// Makes the badges of a view's cells open their reason, where the cells' delegate is a BadgedDelegate; Ctrl+I and the
/// context menu do so for the current row.
class BadgeClicks : public QObject {
    Q_OBJECT
public:
    /// 0 for a cell whose speed-up has no mark.
    using VariantOf = std::function<base::VariantId(const QModelIndex&)>;
    BadgeClicks(QAbstractItemView* view, ProjectModel& project, VariantOf variantOf);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QModelIndex badgeAt(const QPoint& position, QRect* badge) const;
    void openCurrent();

    QAbstractItemView* m_view;
    ProjectModel& m_project;
    VariantOf m_variantOf;
    bool m_pressed = false; ///< the left button, on a badge
};

} // namespace cudal1::ui
