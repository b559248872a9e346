// SPDX-License-Identifier: GPL-3.0-or-later
// A chart with what can be done to it: choices, the same as a table, copy, export.
#pragma once

#include "core/base/result.h"
#include "core/charts/chart.h"

#include <QFrame>

#include <memory>

class QBoxLayout;
class QHBoxLayout;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace cudal1::ui {

class ChartTable;
class ChartView;

class ChartPanel : public QFrame {
    Q_OBJECT
public:
    explicit ChartPanel(QWidget* parent = nullptr);

    ChartView* view() const { return m_view; }
    QTableView* table() const { return m_table; }
    /// Where choices about the chart stand; they come before the buttons.
    QHBoxLayout* choices() const { return m_choices; }
    void setChart(std::shared_ptr<const charts::Chart> chart);

    /// The picture to the clipboard, as pixels and as SVG.
    void copyPicture();
    /// Writes what the file's ending says: svg, png or csv.
    base::Status exportTo(const QString& file) const;
    /// Asks for the file; says what went wrong.
    void askAndExport();
    void showTable(bool on);

protected:
    bool event(QEvent* event) override;

private:
    void placeTools();
    void say(const QString& what);
    QToolButton* button(const QString& icon, const QString& text, const QString& name);

    std::shared_ptr<const charts::Chart> m_chart;
    ChartView* m_view;
    ChartTable* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QHBoxLayout* m_choices;
    QHBoxLayout* m_tools;
    QBoxLayout* m_line; ///< choices and tools
    QStackedLayout* m_stack;
    QToolButton* m_asTable;
};

} // namespace cudal1::ui
