// SPDX-License-Identifier: GPL-3.0-or-later
// The reference and the variants of a task as a list, best first, with the two that are compared.
#pragma once

#include "core/store/project.h"

#include <QAbstractListModel>

#include <memory>

namespace cudal1::ui {

class StripModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum { IdRole = Qt::UserRole + 1, LeftRole, RightRole, MarkedRole };

    explicit StripModel(QObject* parent = nullptr);

    void setRows(std::shared_ptr<const std::vector<store::VariantRow>> rows);
    void setCompared(base::VariantId left, base::VariantId right);
    /// Leaves the variants that have each word in their number, verdict, techniques or origin; all for an empty text.
    void setFilter(const QString& words);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    /// Null for the reference, which is row 0.
    const store::VariantRow* variant(int row) const;
    /// -1 where it is not shown.
    int rowOf(base::VariantId id) const;
    /// With those that the filter leaves out.
    int variantCount() const { return int(m_rows->size()); }

private:
    void applyFilter();

    std::shared_ptr<const std::vector<store::VariantRow>> m_rows;
    std::vector<int> m_shown; ///< rows of m_rows
    QString m_filter;
    base::VariantId m_left, m_right;
};

} // namespace cudal1::ui
