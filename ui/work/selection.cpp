// SPDX-License-Identifier: GPL-3.0-or-later
// The selection's history: steps are pushed by the user's moves and walked by back and forward.
#include "ui/work/selection.h"

#include <algorithm>
#include <utility>

namespace cudal1::ui {

namespace {
constexpr std::size_t longestHistory = 200;
}

Selection::Selection(QObject* parent) : QObject(parent) {}

void Selection::selectTask(const base::TaskId& task)
{
    if (task != m_now.task)
        push({task, {}, {}, m_now.page});
}

void Selection::compare(base::VariantId left, base::VariantId right)
{
    push({m_now.task, left, right, m_now.page});
}

void Selection::selectPage(const QString& page)
{
    push({m_now.task, m_now.left, m_now.right, page});
}

void Selection::open(const base::TaskId& task, const QString& page)
{
    push(task == m_now.task ? Step{task, m_now.left, m_now.right, page} : Step{task, {}, {}, page});
}

void Selection::select(const base::TaskId& task, base::VariantId left, base::VariantId right, const QString& page)
{
    push({task, left, right, page});
}

void Selection::push(const Step& step)
{
    if (m_position >= 0 && step == m_now)
        return;
    m_history.resize(std::size_t(m_position + 1));
    m_history.push_back(step);
    if (m_history.size() > longestHistory)
        m_history.erase(m_history.begin());
    m_position = int(m_history.size()) - 1;
    move(step);
}

void Selection::goBack()
{
    if (canGoBack())
        move(m_history[std::size_t(--m_position)]);
}

void Selection::goForward()
{
    if (canGoForward())
        move(m_history[std::size_t(++m_position)]);
}

void Selection::clear()
{
    removeFilter({});
    m_history.clear();
    m_position = -1;
    move({{}, {}, {}, m_now.page});
}

bool SelectionFilter::leaves(const store::VariantRow& row) const
{
    const auto isThere = [&row](const std::string& id) {
        return std::find(row.techniques.begin(), row.techniques.end(), id) != row.techniques.end();
    };
    return tasks.contains(row.task) && (technique.empty() || isThere(technique)) && (!run || row.run == run) &&
           (!variant || row.id == variant) &&
           (deviceModel.empty() || (row.evaluation && row.evaluation->deviceModel == deviceModel));
}

const SelectionFilter* Selection::filter(const QString& kind) const
{
    const auto found = std::find_if(m_filters.begin(), m_filters.end(),
                                    [&kind](const SelectionFilter& one) { return one.kind == kind; });
    return found == m_filters.end() ? nullptr : &*found;
}

void Selection::setFilter(const SelectionFilter& filter)
{
    if (const SelectionFilter* known = this->filter(filter.kind))
        m_filters[std::size_t(known - m_filters.data())] = filter;
    else
        m_filters.push_back(filter);
    emit filtersChanged();
}

void Selection::toggleFilter(const SelectionFilter& filter)
{
    const SelectionFilter* known = this->filter(filter.kind);
    known && known->key == filter.key ? removeFilter(filter.kind) : setFilter(filter);
}

void Selection::refreshFilter(const SelectionFilter& filter)
{
    const SelectionFilter* known = this->filter(filter.kind);
    if (!known || known->key != filter.key || known->tasks == filter.tasks)
        return;
    m_filters[std::size_t(known - m_filters.data())] = filter;
    emit filtersChanged();
}

void Selection::removeFilter(const QString& kind)
{
    if (std::erase_if(m_filters, [&kind](const SelectionFilter& one) { return kind.isEmpty() || one.kind == kind; }) >
        0)
        emit filtersChanged();
}

bool Selection::leaves(const base::TaskId& task, const std::set<QString>& but) const
{
    return std::all_of(m_filters.begin(), m_filters.end(),
                       [&](const SelectionFilter& one) { return one.tasks.contains(task) || but.contains(one.kind); });
}

bool Selection::leaves(const store::VariantRow& row) const
{
    return std::all_of(m_filters.begin(), m_filters.end(),
                       [&row](const SelectionFilter& one) { return one.leaves(row); });
}

void Selection::move(const Step& step)
{
    const Step before = std::exchange(m_now, step);
    const bool otherTask = before.task != step.task;
    if (otherTask)
        emit taskChanged(step.task);
    if (otherTask || before.left != step.left || before.right != step.right)
        emit variantsChanged(step.left, step.right);
    if (before.page != step.page)
        emit pageChanged(step.page);
    emit historyChanged();
}

} // namespace cudal1::ui
