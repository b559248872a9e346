// SPDX-License-Identifier: GPL-3.0-or-later
// What policies and methods came to, a row each and one a level, with the columns of the paper's tables 5 and 11.
#pragma once

#include "ui/experiment/experimentloader.h"
#include "ui/kit/tablemodel.h"

namespace cudal1::ui {

class ExperimentModel : public TableModel {
    Q_OBJECT
public:
    enum Column {
        Policy,
        Method,
        Level,
        Runs,
        Success,
        Improved,
        Mean,
        BySeed,
        Geometric,
        Maximum,
        Upper,
        Median,
        Lower,
        Replies,
        Repairs,
        Tokens,
        Cost,
        ColumnCount
    };

    enum { ArmRole = OwnRole }; ///< place in ExperimentPlan::arms()

    explicit ExperimentModel(QObject* parent);

    void setView(std::shared_ptr<const ExperimentView> view); ///< null: no rows

private:
    int rows() const override { return m_view ? int(m_view->rows.size()) : 0; }
    QVariant cell(int row, int column, int role) const override;
    QString text(const experiment::ExperimentRow& row, int column) const;
    QVariant sortKey(const experiment::ExperimentRow& row, int column) const;

    std::shared_ptr<const ExperimentView> m_view;
};

} // namespace cudal1::ui
