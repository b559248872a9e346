// SPDX-License-Identifier: GPL-3.0-or-later
// The replies of a group as rows: reward, advantage, verdict.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/training/trainingsloader.h"

#include <optional>

namespace cudal1::ui {

class RepliesModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Reply, Verdict, Reward, Advantage, Tokens, Variant, Why, ColumnCount };

    explicit RepliesModel(QObject* parent);

    /// Only replies with this verdict ("correct", "unusable"); all for an empty one.
    void setGroup(std::optional<TrainingGroup> group, const std::string& verdict);
    const optimize::SampleFacts* reply(int row) const; ///< null where there is none
    int rowOf(base::SampleId id) const;                ///< -1 where it is not shown

private:
    int rows() const override { return int(m_rows.size()); }
    QVariant cell(int row, int column, int role) const override;
    QString text(std::size_t at, int column) const;
    QVariant sortKey(std::size_t at, int column) const;

    std::optional<TrainingGroup> m_group;
    std::vector<std::size_t> m_rows; ///< places in the group
};

} // namespace cudal1::ui
