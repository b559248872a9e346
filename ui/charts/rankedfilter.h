// SPDX-License-Identifier: GPL-3.0-or-later
// The ranked list sorted, and cut to the tasks that the filters of all views leave.
#pragma once

#include "ui/charts/rankedmodel.h"
#include "ui/work/selection.h"

#include <QSortFilterProxyModel>

namespace cudal1::ui {

class RankedFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    RankedFilter(const RankedModel& model, const Selection& selection, QObject* parent)
        : QSortFilterProxyModel(parent), m_model(model), m_selection(selection)
    {
        setSortRole(RankedModel::SortRole);
        connect(&selection, &Selection::filtersChanged, this, [this] { invalidateFilter(); });
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        return m_selection.leaves(m_model.at(row).id) && QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    const RankedModel& m_model;
    const Selection& m_selection;
};

} // namespace cudal1::ui
