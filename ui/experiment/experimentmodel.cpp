// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of an experiment's table.
#include "ui/experiment/experimentmodel.h"

#include "core/base/ratiotext.h"
#include "ui/charts/chartview.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/samplesmodel.h"

#include <QApplication>
#include <QIcon>
#include <QPainter>

namespace cudal1::ui {

using experiment::ExperimentRow;

namespace {

QString ratio(const ExperimentRow& row, double value)
{
    return row.runs > 0 ? QString::fromStdString(base::ratioText(value)) : QString();
}

/// The line of a way to ask as it is in the curves; an empty place for a row about a level, which has none.
QIcon lineIcon(const ExperimentRow& row)
{
    const Theme& theme = Theme::instance();
    const double ratio = qApp->devicePixelRatio();
    const QSize size(theme.unit(6), theme.unit(4));
    QPixmap picture(size * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    if (!row.level) {
        constexpr Qt::PenStyle styles[]{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
        const experiment::LineLook look = experiment::lineOf(row.arm);
        QPainter painter(&picture);
        painter.setPen(QPen(chartColors()[std::size_t(look.ink)], theme.unit(1) / 2.0,
                            styles[std::size_t(look.dash) % std::size(styles)], Qt::FlatCap));
        painter.drawLine(QPointF(0, size.height() / 2.0), QPointF(size.width(), size.height() / 2.0));
    }
    return QIcon(picture);
}

} // namespace

ExperimentModel::ExperimentModel(QObject* parent)
    : TableModel(
          {{tr("Policy"), tr("Who is asked; the colour is that of its line")},
           {tr("Method"), tr("How it is asked, and what differs from the method's own settings")},
           {tr("Level")},
           {tr("Runs"), tr("Runs that came to their end, of those that are planned"), Qt::AlignRight},
           {tr("Success"), tr("Runs with a correct reply"), Qt::AlignRight},
           {tr("> 1.01"), tr("Runs whose best reply is faster than the reference by more than 1 %"), Qt::AlignRight},
           {tr("Mean"), tr("Of the best rewards of runs; a run without a gain counts as 1×"), Qt::AlignRight},
           {tr("By seed"), tr("Lowest and highest mean among the seeds"), Qt::AlignRight},
           {tr("Geometric"),
            tr("Geometric mean of the best rewards, where the line ends; a run without a gain counts as 1×"),
            Qt::AlignRight},
           {tr("Max"), tr("The highest reward of all runs; a run without a gain counts as 1×"), Qt::AlignRight},
           {tr("75 %"), tr("Upper quartile; a run without a gain counts as 1×"), Qt::AlignRight},
           {tr("50 %"), tr("Median; a run without a gain counts as 1×"), Qt::AlignRight},
           {tr("25 %"), tr("Lower quartile; a run without a gain counts as 1×"), Qt::AlignRight},
           {tr("Replies"), tr("Also those of runs that are not over, since they were paid for"), Qt::AlignRight},
           {tr("Repairs"), tr("Repairs that are correct, of those that were asked for"), Qt::AlignRight},
           {tr("Tokens"), tr("Of prompts and replies; a prompt counts once for the replies that share it"),
            Qt::AlignRight},
           {tr("Cost"), tr("As far as it is known"), Qt::AlignRight}},
          parent)
{
}

void ExperimentModel::setView(std::shared_ptr<const ExperimentView> view)
{
    const auto same = [&] {
        if (!view || !m_view || view->shown.id != m_view->shown.id || view->rows.size() != m_view->rows.size())
            return false;
        for (std::size_t i = 0; i < view->rows.size(); ++i)
            if (view->rows[i].arm != m_view->rows[i].arm || view->rows[i].level != m_view->rows[i].level)
                return false;
        return true;
    }();
    if (!same)
        beginResetModel();
    m_view = std::move(view);
    same ? cellsChanged() : endResetModel();
}

QString ExperimentModel::text(const ExperimentRow& row, int column) const
{
    const experiment::Arm& arm = m_view->arms[row.arm];
    const auto ofAll = [](int part, int all) { return all > 0 ? tr("%1 of %2").arg(part).arg(all) : QString(); };
    switch (column) {
    case Policy: return QString::fromStdString(arm.policy);
    case Method: return QString::fromStdString(arm.methodName());
    case Level: return row.level ? QString::number(*row.level) : tr("all");
    case Runs: return ofAll(row.runs, row.planned);
    case Success: return row.runs > 0 ? QString::number(row.success) : QString();
    case Improved: return row.runs > 0 ? QString::number(row.improved) : QString();
    case Mean: return ratio(row, row.mean);
    case BySeed: {
        const QString lowest = ratio(row, row.lowestMean), highest = ratio(row, row.highestMean);
        return row.seeds < 2     ? QString()
             : lowest == highest ? tr("%1 each").arg(lowest)
                                 : lowest + QStringLiteral("–") + highest;
    }
    case Geometric: return ratio(row, row.geometricMean);
    case Maximum: return ratio(row, row.maximum);
    case Upper: return ratio(row, row.upperQuartile);
    case Median: return ratio(row, row.median);
    case Lower: return ratio(row, row.lowerQuartile);
    case Replies: return row.samples > 0 ? QString::number(row.samples) : QString();
    case Repairs: return ofAll(row.mended, row.repairs);
    case Tokens: return tokensText(row.promptTokens + row.replyTokens);
    case Cost: return costsText(row.costs);
    default: return {};
    }
}

QVariant ExperimentModel::sortKey(const ExperimentRow& row, int column) const
{
    const double none = -1; // below all numbers
    switch (column) {
    case Level: return row.level.value_or(0);
    case Runs: return row.runs;
    case Success: return row.success;
    case Improved: return row.improved;
    case Mean: return row.runs > 0 ? row.mean : none;
    case BySeed: return row.seeds > 1 ? row.highestMean - row.lowestMean : none;
    case Geometric: return row.runs > 0 ? row.geometricMean : none;
    case Maximum: return row.runs > 0 ? row.maximum : none;
    case Upper: return row.runs > 0 ? row.upperQuartile : none;
    case Median: return row.runs > 0 ? row.median : none;
    case Lower: return row.runs > 0 ? row.lowerQuartile : none;
    case Replies: return row.samples;
    case Repairs: return row.repairs;
    case Tokens: return qlonglong(row.promptTokens + row.replyTokens);
    case Cost: return row.costs.empty() ? none : row.costs.begin()->second;
    default: return text(row, column);
    }
}

QVariant ExperimentModel::cell(int row, int column, int role) const
{
    const ExperimentRow& one = m_view->rows[std::size_t(row)];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return text(one, column);
    case SortRole: return sortKey(one, column);
    case ArmRole: return qulonglong(one.arm);
    case Qt::DecorationRole: return column == Policy ? QVariant(lineIcon(one)) : QVariant();
    case Qt::FontRole: return isRight(column) ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
