// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the percentile table.
#include "ui/charts/percentilesmodel.h"

#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

PercentilesModel::PercentilesModel(QObject* parent) : QAbstractTableModel(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (!m_lines.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole, Qt::FontRole});
    });
}

void PercentilesModel::setLines(std::vector<charts::LevelLine> lines, charts::Failures rule)
{
    beginResetModel();
    m_lines = std::move(lines);
    m_rule = rule;
    endResetModel();
}

int PercentilesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_lines.size());
}

int PercentilesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PercentilesModel::text(const charts::LevelLine& line, int column) const
{
    const auto speedup = [&line](double value) { return line.counted == 0 ? QString(QChar(0x2013)) : value > 0 ? speedupText(value) : QStringLiteral("0"); };
    switch (column) {
    case Level: return !line.level ? tr("All") : *line.level == 0 ? tr("Files") : tr("Level %1").arg(*line.level);
    case Tried: return QString::number(line.tried);
    case Correct: return QString::number(line.correct);
    case Gains: return QString::number(line.gains);
    case Mean: return speedup(line.mean);
    case GeometricMean: return speedup(line.geometricMean);
    case Best: return speedup(line.maximum);
    case P75: return speedup(line.upperQuartile);
    case P50: return speedup(line.median);
    case P25: return speedup(line.lowerQuartile);
    default: return {};
    }
}

QVariant PercentilesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const charts::LevelLine& line = m_lines[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(line, index.column());
    case Qt::TextAlignmentRole:
        return int((index.column() == Level ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::FontRole: {
        QFont font = index.column() == Level ? Theme::instance().textFont() : Theme::instance().monoFont();
        if (!line.level)
            font.setWeight(QFont::DemiBold);
        return font;
    }
    case Qt::ForegroundRole:
        return index.column() == Tried ? QVariant(Theme::instance().color(Role::Muted)) : QVariant();
    case Qt::ToolTipRole:
        return line.level ? tr("Click to show only these tasks") : tr("All tried tasks");
    default:
        return {};
    }
}

QVariant PercentilesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Level ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        switch (section) {
        case Level: return {};
        case Tried: return tr("Tasks of which a variant was judged");
        case Correct: return tr("Tasks with a correct variant");
        case Gains: return tr("Tasks whose best variant is estimated above 1.01×, as the paper counts; a true gain needs the whole interval there");
        default: return tr("Of the best speed-ups by the wall clock; a task without a correct variant is %1").arg(charts::ruleName(m_rule));
        }
    if (role != Qt::DisplayRole)
        return {};
    constexpr const char* titles[ColumnCount]{"Level", "Tried", "Correct", ">1.01", "Mean", "Geom.", "Max", "75 %", "50 %", "25 %"};
    return tr(titles[section]);
}

} // namespace cudal1::ui
