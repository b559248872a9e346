// SPDX-License-Identifier: GPL-3.0-or-later
// The operator tree as an item model.
#pragma once

#include "ui/tasks/operatortree.h"

#include <QAbstractItemModel>

namespace cudal1::ui {

class OperatorsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Operator, Flops, Bytes, Time, Shapes, Module, ColumnCount };

    using QAbstractItemModel::QAbstractItemModel;

    /// May be null: no rows.
    void setTree(std::shared_ptr<const OperatorTree> tree);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const OperatorNode* node(const QModelIndex& index) const;
    QString text(const OperatorNode& node, int column) const;

    std::shared_ptr<const OperatorTree> m_tree;
};

} // namespace cudal1::ui
