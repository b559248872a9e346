// SPDX-License-Identifier: GPL-3.0-or-later
// Samples sorted, and cut to those that a search has found.
#pragma once

#include "ui/kit/setupview.h"
#include "ui/samples/samplesmodel.h"

#include <QSortFilterProxyModel>

#include <optional>
#include <unordered_set>

namespace cudal1::ui {

/// A question is shown while one of its replies is.
class SamplesFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    SamplesFilter(SamplesModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model)
    {
        setSourceModel(&model);
        setSortRole(SamplesModel::SortRole);
        setFilterRole(CopyRole);
        setRecursiveFilteringEnabled(true);
    }

    /// Only these; all without a set.
    void setFound(std::optional<std::unordered_set<base::SampleId>> found)
    {
        m_found = std::move(found);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        const optimize::SampleFacts* facts = m_model.sample(m_model.index(row, 0, parent));
        if (!facts)
            return !m_found && filterRegularExpression().pattern().isEmpty();
        return (!m_found || m_found->contains(facts->sample.id)) &&
               QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    SamplesModel& m_model;
    std::optional<std::unordered_set<base::SampleId>> m_found;
};

} // namespace cudal1::ui
