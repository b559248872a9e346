// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger: tokens and cost by policy and by task.
#pragma once

#include "core/base/ids.h"
#include "ui/samples/samplesloader.h"

#include <QWidget>

class QTableView;

namespace cudal1::ui {

class LedgerModel;
class ViewTools;

class LedgerView : public QWidget {
    Q_OBJECT
public:
    explicit LedgerView(QWidget* parent = nullptr);

    void setView(const SamplesView& view);
    ViewTools* tools() const { return m_tools; } ///< of the table of policies

signals:
    void taskRequested(const cudal1::base::TaskId& task);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QTableView* makeTable(LedgerModel* model, const QString& name, const QString& label, ViewTools*& tools);
    QWidget* makeCard(const QString& title, QTableView* table);

    LedgerModel *m_policies, *m_tasks;
    ViewTools *m_tools = nullptr, *m_taskTools = nullptr;
};

} // namespace cudal1::ui
