// SPDX-License-Identifier: GPL-3.0-or-later
// What the hardware does in the kernels of two sides: sentences, roofline, kernel by kernel, and the tables of both.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "ui/kit/background.h"

#include <QScrollArea>

#include <optional>
#include <string>

class QLabel;
class QSplitter;
class QTableView;
class QTabWidget;

namespace cudal1::ui {

class ChartPanel;
class ChartTable;
class ProjectModel;

/// Reads the counters of two sides in the background; the reference stands for a variant id of 0. The model outlives
/// this.
class CountersPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit CountersPanel(const ProjectModel& project, QWidget* parent = nullptr);

    struct Sides {
        base::TaskId task;
        base::VariantId left, right;
        QString leftName, rightName; ///< "Reference", "#14"

        bool operator==(const Sides&) const = default;
    };
    /// Nothing happens when these are shown already.
    void show(const Sides& sides);
    /// The next call of show() reads again.
    void forget() { m_shown.reset(); }

    ChartPanel* roofline() const { return m_roofline; }
    ChartPanel* changes() const { return m_changes; }
    QTableView* kernels() const { return m_kernels; }
    /// Where the numbers are from, and what each side is bound by; or why there is nothing.
    QString said() const;
    /// The command that opens the kernel of the chosen row in Nsight Compute, or all of a call in Nsight Systems; empty
    /// where no variant is shown.
    QString handOver(bool systems) const;

signals:
    /// There are new numbers, or none.
    void shown();
    void errorRaised(const cudal1::base::Error& error);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Read;
    QTableView* makeTable(ChartTable* model, const char* name, const QString& title);
    void take(const base::Result<Read>& read);
    void addHandOver(bool systems, const QString& text, const QString& tip);
    std::string chosenKernel() const;

    const ProjectModel& m_project;
    QLabel* m_said;
    ChartPanel* m_roofline;
    ChartPanel* m_changes;
    ChartTable* m_kernelRows;
    ChartTable* m_changeRows;
    QSplitter* m_charts; ///< beside each other, where there is room
    QTabWidget* m_tables;
    QTableView* m_kernels;
    QTableView* m_byKernel;
    QWidget* m_pictures;
    std::optional<Sides> m_shown;
    Asker m_asker{this};
};

} // namespace cudal1::ui
