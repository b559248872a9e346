// SPDX-License-Identifier: GPL-3.0-or-later
// The toggles of a variant: which of them are switched, and what each does.
#pragma once

#include "ui/ablation/ablationloader.h"
#include "ui/kit/tablemodel.h"
#include "ui/variants/speedupbar.h"

namespace cudal1::ui {

class TogglesModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Effect, ColumnCount };

    explicit TogglesModel(QObject* parent = nullptr);

    void setView(std::shared_ptr<const AblationView> view);
    /// Names of those with a tick.
    std::vector<std::string> chosen() const;
    base::Interval effect(int row) const; ///< by wall; invalid where there is none
    const SpeedupAxis& axis() const { return m_axis; }

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    /// The user switched one.
    void chosenChanged();

private:
    int rows() const override;
    QVariant cell(int row, int column, int role) const override;
    std::string name(int row) const { return m_view->toggles[std::size_t(row)].name; }
    const ablation::Effect* mainOf(int row) const;

    std::shared_ptr<const AblationView> m_view;
    std::vector<bool> m_chosen;
    SpeedupAxis m_axis;
};

} // namespace cudal1::ui
