// SPDX-License-Identifier: GPL-3.0-or-later
// What policies, or tasks, took and brought, a row each.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/samples/samplesloader.h"

#include <vector>

namespace cudal1::ui {

class LedgerModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Questions, Replies, Correct, Repairs, Asked, Answered, Cost, Reward, ColumnCount };
    enum { TaskRole = OwnRole };

    LedgerModel(const QString& of, QObject* parent);

    void setRows(std::vector<LedgerRow> rows);

private:
    int rows() const override { return int(m_rows.size()); }
    QVariant cell(int row, int column, int role) const override;
    static QString text(const LedgerRow& row, int column);
    static QVariant sortKey(const LedgerRow& row, int column);

    std::vector<LedgerRow> m_rows;
};

} // namespace cudal1::ui
