// SPDX-License-Identifier: GPL-3.0-or-later
// The variants of one task as a table; its own order is of arrival, sorting is for a proxy over SortRole.
#pragma once

#include "core/store/project.h"
#include "ui/kit/tablemodel.h"
#include "ui/variants/speedupbar.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace cudal1::ui {

class VariantsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Verdict, Wall, Call, Event, FloorShare, Techniques, Origin, Device, Age, ColumnCount };
    enum { IdRole = OwnRole };

    explicit VariantsModel(QObject* parent = nullptr);

    /// Another task's rows, or none.
    void reset(const std::shared_ptr<const std::vector<store::VariantRow>>& rows);
    /// The same task's rows after a change: rows that stay keep their place, new ones are added.
    void update(const std::shared_ptr<const std::vector<store::VariantRow>>& rows);

    /// Of the task, by device model, for evaluations without a floor of their own; see
    /// taskfacts::TaskFacts::floor_ns().
    void setFloors(std::map<std::string, double> floors_ns);
    bool hasFloorShares() const; ///< of a row that is here

    const store::VariantRow& at(int row) const { return m_rows[row]; }
    int rowOf(base::VariantId id) const; ///< -1 when it is not here
    const SpeedupAxis& axis() const { return m_axis; }
    /// Ages read from now on; call now and then.
    void refreshAges();

private:
    int rows() const override;
    QVariant cell(int row, int column, int role) const override;
    QVariant text(const store::VariantRow& row, int column) const;
    QVariant toolTip(const store::VariantRow& row, int column) const;
    QVariant sortKey(const store::VariantRow& row, int column) const;
    double floorShare(const store::VariantRow& row) const; ///< 0 where it is not known
    void rebuild();

    std::vector<store::VariantRow> m_rows;
    std::unordered_map<base::VariantId, int> m_places;
    std::map<std::string, double> m_floors_ns;
    SpeedupAxis m_axis;
};

} // namespace cudal1::ui
