// SPDX-License-Identifier: GPL-3.0-or-later
// Policies and checkpoints on tasks that no training learns from, as rows.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/training/trainingsloader.h"

namespace cudal1::ui {

class ComparisonModel : public TableModel {
    Q_OBJECT
public:
    enum Column {
        Policy,
        Tasks,
        Replies,
        Success,
        SuccessInterval,
        Gained,
        GainedInterval,
        Reward,
        Exploits,
        ColumnCount
    };

    explicit ComparisonModel(QObject* parent);

    void setView(std::shared_ptr<const TrainingsView> view); ///< null: no rows

private:
    int rows() const override { return m_view ? int(m_view->compared.size()) : 0; }
    QVariant cell(int row, int column, int role) const override;
    QString text(const learning::ComparedPolicy& row, int column) const;
    QVariant sortKey(const learning::ComparedPolicy& row, int column) const;
    QString nameOf(const learning::ComparedPolicy& row) const;

    std::shared_ptr<const TrainingsView> m_view;
};

} // namespace cudal1::ui
