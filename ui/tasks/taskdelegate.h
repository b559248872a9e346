// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a row of the task tree: state mark, id, name, best speed-up as bar and number; a level with its share of gains.
#pragma once

#include "ui/variants/badge.h"

namespace cudal1::ui {

class TasksFilter;
class TasksModel;

class TaskDelegate : public BadgedDelegate {
    Q_OBJECT
public:
    TaskDelegate(const TasksModel& model, const TasksFilter& filter, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QRect badgeRect(const QRect& cell, const QModelIndex& index) const override;

private:
    void paintLevel(QPainter& painter, QRect area, const QModelIndex& level) const;

    const TasksModel& m_model;
    const TasksFilter& m_filter;
};

} // namespace cudal1::ui
