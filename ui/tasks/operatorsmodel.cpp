// SPDX-License-Identifier: GPL-3.0-or-later
// Rows and cells of the operator tree.
#include "ui/tasks/operatorsmodel.h"

#include "core/taskfacts/taskfacts.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

namespace {

bool isNumber(int column)
{
    return column >= OperatorsModel::Flops && column <= OperatorsModel::Time;
}

} // namespace

void OperatorsModel::setTree(std::shared_ptr<const OperatorTree> tree)
{
    beginResetModel();
    m_tree = std::move(tree);
    endResetModel();
}

const OperatorNode* OperatorsModel::node(const QModelIndex& index) const
{
    return index.isValid() ? &m_tree->nodes[index.internalId()] : nullptr;
}

QModelIndex OperatorsModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!m_tree || row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent))
        return {};
    const std::vector<int>& rows = parent.isValid() ? node(parent)->children : m_tree->top;
    return createIndex(row, column, quintptr(rows[std::size_t(row)]));
}

QModelIndex OperatorsModel::parent(const QModelIndex& index) const
{
    const OperatorNode* own = node(index);
    return own && own->parent >= 0 ? createIndex(m_tree->nodes[std::size_t(own->parent)].row, 0, quintptr(own->parent))
                                   : QModelIndex();
}

int OperatorsModel::rowCount(const QModelIndex& parent) const
{
    if (!m_tree || parent.column() > 0)
        return 0;
    return int(parent.isValid() ? node(parent)->children.size() : m_tree->top.size());
}

int OperatorsModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QString OperatorsModel::text(const OperatorNode& one, int column) const
{
    switch (column) {
    case Operator:
        switch (one.kind) {
        case OperatorNode::Kind::Module: return QString::fromStdString(one.name);
        case OperatorNode::Kind::Repeat: return tr("× %1").arg(one.repeat);
        case OperatorNode::Kind::Call: return QString::fromStdString(one.name);
        }
        return {};
    case Shapes:
        return one.kind == OperatorNode::Kind::Call ? QString::fromStdString(one.shapes)
                                                    : tr("%1 operators").arg(one.calls);
    case Module: return QString::fromStdString(one.module);
    case Flops: return one.flops > 0 ? QString::fromStdString(taskfacts::flopsText(one.flops)) : QString();
    case Bytes: return one.bytes > 0 ? bytesText(one.bytes) : QString();
    case Time: return one.time_ns > 0 ? timeText(one.time_ns) : QString();
    }
    return {};
}

QVariant OperatorsModel::data(const QModelIndex& index, int role) const
{
    const OperatorNode* one = m_tree ? node(index) : nullptr;
    if (!one)
        return {};
    switch (role) {
    case Qt::DisplayRole: // a space keeps figures off the shapes to their right
        return isNumber(index.column()) ? text(*one, index.column()) + QChar(0x2002) : text(*one, index.column());
    case CopyRole: return text(*one, index.column());
    case Qt::ToolTipRole:
        if (one->kind == OperatorNode::Kind::Call)
            return QStringLiteral("%1\n%2").arg(QString::fromStdString(one->name),
                                                QString::fromStdString(one->arguments));
        if (one->kind == OperatorNode::Kind::Repeat)
            return tr("One pass of it stands below; the sums here are of all %1.").arg(one->repeat);
        return text(*one, Operator) + (one->module.empty() ? QString() : u'\n' + QString::fromStdString(one->module));
    case Qt::TextAlignmentRole:
        return int((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole: {
        if (one->kind == OperatorNode::Kind::Call && index.column() != Module)
            return Theme::instance().monoFont();
        QFont font = isNumber(index.column()) ? Theme::instance().monoFont() : Theme::instance().textFont();
        if (index.column() == Operator)
            font.setWeight(QFont::DemiBold);
        return font;
    }
    case Qt::ForegroundRole: // views and allocations move nothing: they recede
        if (index.column() == Module || (one->kind != OperatorNode::Kind::Call && index.column() == Shapes) ||
            one->bytes <= 0)
            return Theme::instance().color(Role::Muted);
        return {};
    default: return {};
    }
}

QVariant OperatorsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        switch (section) {
        case Flops: return tr("Floating-point operations, a multiplication with its addition as two");
        case Bytes: return tr("Arguments and results once");
        case Time: return tr("On the device, each operator alone");
        default: return {};
        }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Operator: return tr("Operator");
    case Shapes: return tr("Shapes");
    case Module: return tr("Module");
    case Flops: return tr("FLOPs");
    case Bytes: return tr("Bytes");
    case Time: return tr("Time");
    default: return {};
    }
}

} // namespace cudal1::ui
