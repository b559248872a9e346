// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of the task on the page: a tree under a line that says where they are known from.
#pragma once

#include "ui/tasks/operatortree.h"

#include <QWidget>

class QLabel;
class QTreeView;

namespace cudal1::ui {

class OperatorsModel;
class ViewTools;

class OperatorsView : public QWidget {
    Q_OBJECT
public:
    explicit OperatorsView(QWidget* parent = nullptr);

    /// `source` says where the operators are from, or why there are none. The tree may be null.
    void setTree(const std::shared_ptr<const OperatorTree>& tree, const QString& source);
    QTreeView* view() const { return m_view; }
    ViewTools* tools() const { return m_tools; }

private:
    QLabel* m_source;
    OperatorsModel* m_model;
    QTreeView* m_view;
    ViewTools* m_tools;
};

} // namespace cudal1::ui
