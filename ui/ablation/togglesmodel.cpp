// SPDX-License-Identifier: GPL-3.0-or-later
// Toggles as rows with a tick and an effect.
#include "ui/ablation/togglesmodel.h"

#include "core/ablation/findingstext.h"
#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

TogglesModel::TogglesModel(QObject* parent) : TableModel({{tr("Toggle")}, {tr("Effect, wall clock")}}, parent) {}

void TogglesModel::setView(std::shared_ptr<const AblationView> view)
{
    const auto names = [](const AblationView& of) {
        std::vector<std::string> out;
        for (const policy::Toggle& one : of.toggles)
            out.push_back(one.name);
        return out;
    };
    const bool same = m_view && view && names(*m_view) == names(*view);
    if (!same)
        beginResetModel();
    m_view = std::move(view);
    m_chosen.assign(m_view ? m_view->toggles.size() : 0, false);
    m_axis = {};
    for (int row = 0; row < rowCount(); ++row) {
        const auto& asked = m_view->error ? m_view->request.toggles : m_view->plan.names();
        m_chosen[std::size_t(row)] = std::find(asked.begin(), asked.end(), name(row)) != asked.end();
        m_axis.include(effect(row));
    }
    if (!same)
        endResetModel();
    else
        cellsChanged();
}

std::vector<std::string> TogglesModel::chosen() const
{
    std::vector<std::string> out;
    for (int row = 0; row < rowCount(); ++row)
        if (m_chosen[std::size_t(row)])
            out.push_back(name(row));
    return out;
}

const ablation::Effect* TogglesModel::mainOf(int row) const
{
    const auto names = m_view->plan.names();
    const auto place = std::find(names.begin(), names.end(), name(row));
    if (place == names.end())
        return nullptr;
    const std::uint32_t bit = 1U << (place - names.begin());
    const auto found = std::find_if(m_view->wall.mains.begin(), m_view->wall.mains.end(),
                                    [bit](const ablation::Effect& one) { return one.toggles == bit; });
    return found == m_view->wall.mains.end() ? nullptr : &*found;
}

base::Interval TogglesModel::effect(int row) const
{
    const ablation::Effect* main = mainOf(row);
    return main ? main->factor : base::Interval();
}

int TogglesModel::rows() const
{
    return m_view ? int(m_view->toggles.size()) : 0;
}

Qt::ItemFlags TogglesModel::flags(const QModelIndex& index) const
{
    return TableModel::flags(index) | (index.column() == Name ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

QVariant TogglesModel::cell(int row, int column, int role) const
{
    const ablation::Effect* main = mainOf(row);
    if (role == Qt::ToolTipRole)
        return tr("%1, line %2 of the source")
                   .arg(QString::fromStdString(name(row)))
                   .arg(m_view->toggles[std::size_t(row)].line) +
               (main ? u'\n' + QString::fromStdString(ablation::mainText(m_view->plan.names(), *main)) : QString());
    if (column == Name) {
        if (role == Qt::DisplayRole)
            return techniquesText({policy::techniqueOf(name(row))}); // as everywhere; the tip has the line's spelling
        if (role == Qt::CheckStateRole)
            return int(m_chosen[std::size_t(row)] ? Qt::Checked : Qt::Unchecked);
        return {};
    }
    if (role == Qt::DisplayRole)
        return main ? speedupSentence(main->factor) : QString();
    return {};
}

bool TogglesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != Name || !index.isValid())
        return false;
    m_chosen[std::size_t(index.row())] = value.toInt() == Qt::Checked;
    emit dataChanged(index, index, {Qt::CheckStateRole});
    emit chosenChanged();
    return true;
}

} // namespace cudal1::ui
