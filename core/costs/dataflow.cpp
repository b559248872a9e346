// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of values.
#include "core/costs/dataflow.h"

#include <algorithm>

namespace cudal1::costs {

int Dataflow::append(Value value)
{
    const int id = static_cast<int>(m_values.size());
    Kind& kind = m_kinds[value.text];
    (value.original ? kind.given : kind.made).push_back(id);
    if (!value.original)
        kind.unread.push_back(id);
    m_values.push_back(std::move(value));
    return id;
}

int Dataflow::add(const std::string& text)
{
    const int id = append({text, -1, -1, false, true});
    m_values.back().given = id;
    return id;
}

bool Dataflow::taken(int id) const
{
    return std::find(m_taken.begin(), m_taken.end(), id) != m_taken.end();
}

int Dataflow::choose(const std::string& text)
{
    const auto known = m_kinds.find(text);
    if (known == m_kinds.end())
        return -1;
    Kind& kind = known->second;
    const auto isRead = [this](int id) { return m_values[static_cast<std::size_t>(id)].read; };
    while (!kind.unread.empty() && isRead(kind.unread.back()))
        kind.unread.pop_back();
    if (!kind.unread.empty())
        return kind.unread.back();
    const auto next = std::find_if_not(kind.given.begin(), kind.given.end(), isRead);
    if (next != kind.given.end())
        return *next;
    for (auto newest = kind.made.rbegin(); newest != kind.made.rend(); ++newest)
        if (!taken(*newest))
            return *newest;
    return kind.made.empty() ? kind.given.back() : kind.made.back();
}

void Dataflow::take(int id)
{
    Value& value = m_values[static_cast<std::size_t>(id)];
    value.read = true;
    if (value.storage >= 0)
        m_liveness.use(value.storage);
    m_taken.push_back(id);
}

int Dataflow::argument(const std::string& text)
{
    int id = choose(text);
    if (id < 0)
        id = append({text}); // a constant of the module's own
    take(id);
    return m_values[static_cast<std::size_t>(id)].given;
}

void Dataflow::argument(int given)
{
    take(given);
}

void Dataflow::result(const std::string& text, double bytes)
{
    append({text, m_liveness.allocate(bytes)});
}

void Dataflow::alias(const std::string& text)
{
    if (m_taken.empty()) {
        append({text});
        return;
    }
    const Value first = m_values[static_cast<std::size_t>(m_taken.front())];
    append({text, first.storage, first.given});
}

void Dataflow::end()
{
    m_taken.clear();
    m_liveness.nextStep();
}

void Dataflow::keep(const std::string& text)
{
    const int id = choose(text);
    if (id < 0)
        return;
    take(id);
    if (const int storage = m_values[static_cast<std::size_t>(id)].storage; storage >= 0)
        m_liveness.keep(storage);
}

int Dataflow::unread(const std::string& text) const
{
    const auto known = m_kinds.find(text);
    if (known == m_kinds.end())
        return 0;
    return static_cast<int>(std::count_if(known->second.given.begin(), known->second.given.end(),
                                          [this](int id) { return !m_values[static_cast<std::size_t>(id)].read; }));
}

} // namespace cudal1::costs
