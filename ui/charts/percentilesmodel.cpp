// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the percentile table.
#include "ui/charts/percentilesmodel.h"

#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

PercentilesModel::PercentilesModel(QObject* parent) : TableModel(columnsFor(charts::Failures::One), parent) {}

std::vector<TableModel::Column> PercentilesModel::columnsFor(charts::Failures rule)
{
    const QString best = tr("Of the best speed-ups by the wall clock. %1").arg(charts::ruleText(rule));
    return {{tr("Level")},
            {tr("Tried"), tr("Tasks of which a variant was judged"), Qt::AlignRight},
            {tr("Correct"), tr("Tasks with a correct variant"), Qt::AlignRight},
            {tr("True gain"),
             tr("Tasks whose best variant is faster at the reference's precision, with the whole 95 % interval above "
                "1.01×, and with no label that puts it in question"),
             Qt::AlignRight},
            {tr("Mean"), best, Qt::AlignRight},
            {tr("Geom."), best, Qt::AlignRight},
            {tr("Max"), best, Qt::AlignRight},
            {tr("75 %"), best, Qt::AlignRight},
            {tr("50 %"), best, Qt::AlignRight},
            {tr("25 %"), best, Qt::AlignRight}};
}

void PercentilesModel::setLines(std::vector<charts::LevelPercentiles> lines, charts::Failures rule)
{
    beginResetModel();
    m_lines = std::move(lines);
    setColumns(columnsFor(rule));
    endResetModel();
}

int PercentilesModel::rows() const
{
    return int(m_lines.size());
}

QString PercentilesModel::text(const charts::LevelPercentiles& line, int column) const
{
    const auto speedup = [&line](double value) {
        return line.counted == 0 ? QString(QChar(0x2013)) : value > 0 ? speedupText(value) : QStringLiteral("0");
    };
    switch (column) {
    case Level: return !line.level ? tr("All") : *line.level == 0 ? tr("Files") : tr("Level %1").arg(*line.level);
    case Tried: return QString::number(line.tried);
    case Correct: return QString::number(line.correct);
    case Gains: return QString::number(line.trueGains);
    case Mean: return speedup(line.mean);
    case GeometricMean: return speedup(line.geometricMean);
    case Best: return speedup(line.maximum);
    case P75: return speedup(line.upperQuartile);
    case P50: return speedup(line.median);
    case P25: return speedup(line.lowerQuartile);
    default: return {};
    }
}

QVariant PercentilesModel::cell(int row, int column, int role) const
{
    const charts::LevelPercentiles& line = m_lines[std::size_t(row)];
    switch (role) {
    case Qt::DisplayRole: return text(line, column);
    case Qt::FontRole: {
        QFont font = column == Level ? Theme::instance().textFont() : Theme::instance().monoFont();
        if (!line.level)
            font.setWeight(QFont::DemiBold);
        return font;
    }
    case Qt::ForegroundRole: return column == Tried ? QVariant(Theme::instance().color(Role::Muted)) : QVariant();
    case Qt::ToolTipRole: return line.level ? tr("Click to show only these tasks") : tr("All tried tasks");
    default: return {};
    }
}

} // namespace cudal1::ui
