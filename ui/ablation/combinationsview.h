// SPDX-License-Identifier: GPL-3.0-or-later
// The pane with the table of combinations: its title, the chip of its filter, and columns that fit what is in them.
#pragma once

#include "ui/ablation/ablationloader.h"

#include <QWidget>

class QLabel;
class QModelIndex;
class QSortFilterProxyModel;
class QTableView;

namespace cudal1::ui {

class CombinationsModel;
class ProjectModel;
class ViewTools;

class CombinationsView : public QWidget {
    Q_OBJECT
public:
    explicit CombinationsView(ProjectModel& project, QWidget* parent = nullptr);

    /// Null for none. What is selected and scrolled to stays where only what was found has changed.
    void setView(std::shared_ptr<const AblationView> view);
    ViewTools* tools() const { return m_tools; }
    /// Selects the combinations that have all of these toggles on, as bits in the plan's order; where there are none,
    /// what is selected stays.
    void choose(std::uint32_t toggles);
    /// Asks for the first of those that are selected, as the table is sorted.
    void openChosen();

signals:
    /// The user wants to see the variant of a combination, which was judged.
    void variantRequested(cudal1::base::VariantId variant);
    /// The user wants to see the chosen device, precision and preset, with which nothing is judged, or again those that
    /// have results.
    void chosenDeviceWanted(bool chosen);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void open(const QModelIndex& index);
    void showElsewhere();
    void makeColumns();
    void fitColumns();
    void fitBottleneck();

    std::shared_ptr<const AblationView> m_view;
    CombinationsModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QLabel* m_title;
    QLabel* m_elsewhere;      ///< where what is shown was judged, if not as chosen
    bool m_hasEvents = false; ///< some combination was timed by events
    QTableView* m_table;
    ViewTools* m_tools;
};

} // namespace cudal1::ui
