// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts the table of variants, and hides the rows that the filter shared by all views rejects.
#pragma once

#include "ui/variants/variantsmodel.h"

#include <QSortFilterProxyModel>

#include <functional>

namespace cudal1::ui {

class VariantsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using Predicate = std::function<bool(const store::VariantRow&)>;

    VariantsFilter(VariantsModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model)
    {
        setSourceModel(&model);
    }

    /// Hides the rows for which `filter` returns false. An empty `filter` shows all rows.
    void setFilter(Predicate filter)
    {
        m_filter = std::move(filter);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        return (!m_filter || m_filter(m_model.at(row))) && QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    VariantsModel& m_model;
    Predicate m_filter;
};

} // namespace cudal1::ui
