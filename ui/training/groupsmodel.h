// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of a training as rows, newest batch first.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/training/trainingsloader.h"

namespace cudal1::ui {

class GroupsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Step, Task, Replies, Correct, Reward, Spread, Exemplars, ColumnCount };

    explicit GroupsModel(QObject* parent);

    void setView(std::shared_ptr<const TrainingsView> view); ///< null: no rows
    const TrainingGroup* group(int row) const;               ///< null where there is none

private:
    int rows() const override { return m_view ? int(m_view->groups.size()) : 0; }
    QVariant cell(int row, int column, int role) const override;
    QString text(const TrainingGroup& group, int column) const;
    QVariant sortKey(const TrainingGroup& group, int column) const;

    std::shared_ptr<const TrainingsView> m_view;
};

} // namespace cudal1::ui
