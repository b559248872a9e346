// SPDX-License-Identifier: GPL-3.0-or-later
// What others claim, a row a task, the highest first, beside what was found here.
#pragma once

#include "core/rejudge/publishedclaims.h"
#include "ui/kit/tablemodel.h"

#include <vector>

namespace cudal1::ui {

class ClaimsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Task, Claimed, Found, Device, Techniques, ColumnCount };

    explicit ClaimsModel(QObject* parent = nullptr);

    void setClaims(std::vector<rejudge::RankedClaim> claims);
    const rejudge::RankedClaim& at(int row) const { return m_claims[std::size_t(row)]; }

private:
    int rows() const override { return int(m_claims.size()); }
    QVariant cell(int row, int column, int role) const override;
    QVariant text(const rejudge::RankedClaim& claim, int column) const;
    QVariant sortKey(const rejudge::RankedClaim& claim, int column) const;

    std::vector<rejudge::RankedClaim> m_claims;
};

} // namespace cudal1::ui
