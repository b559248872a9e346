// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the columns of a model.
#include "core/timeline/eventtables.h"

#include <algorithm>
#include <unordered_map>

namespace cudal1::timeline {

using protocol::TimelineEvent;
using protocol::TimelineWindow;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;

namespace {

/// Of what is inside the span.
struct Counted {
    const Model& model;
    const std::optional<Span>& span;

    bool counts(EventIndex i) const
    {
        if (!span)
            return model.place[i] != Place::Outside;
        return model.begin_ns[i] < span->end_ns &&
               (model.end_ns[i] > span->begin_ns || model.begin_ns[i] >= span->begin_ns);
    }
    std::int64_t time_ns(EventIndex i) const
    {
        if (!span)
            return model.duration_ns(i);
        return std::max<std::int64_t>(0, std::min(model.end_ns[i], span->end_ns) -
                                             std::max(model.begin_ns[i], span->begin_ns));
    }
};

/// The operator on the same track that holds this event, on the level above; noEvent for an outermost one.
EventIndex parentOf(const Model& model, EventIndex i)
{
    std::uint32_t row = model.rowOf[i];
    const std::uint32_t top = model.trackOf(i).firstRow;
    while (row > top) {
        --row;
        const Model::Row& above = model.rows[row];
        const auto begin = model.begin_ns.begin();
        const auto after = std::upper_bound(begin + above.first, begin + above.last, model.begin_ns[i]);
        if (after == begin + above.first)
            continue;
        const auto candidate = static_cast<EventIndex>(after - begin - 1);
        if (model.end_ns[candidate] >= model.end_ns[i] && model.end_ns[candidate] > model.begin_ns[i])
            return candidate;
    }
    return noEvent;
}

} // namespace

std::int64_t wholeOf(const Model& model, const std::optional<Span>& span)
{
    if (span)
        return span->duration_ns();
    std::int64_t windows_ns = 0;
    for (const TimelineWindow& window : model.windows)
        windows_ns += window.duration_ns();
    return model.windows.empty() ? model.last_ns - model.first_ns : windows_ns;
}

std::vector<TableRow> tableOf(const Model& model, const std::optional<Span>& span)
{
    const Counted counted{model, span};
    // By name and category first; copies of one name by direction too.
    std::unordered_map<std::uint64_t, std::size_t> numbers;
    std::vector<TableRow> rows;
    std::vector<std::int64_t> longest_ns;
    const auto rowOf = [&](EventIndex i) {
        const bool copies = model.category[i] == Category::Copy || model.category[i] == Category::Memset;
        const std::uint64_t key = std::uint64_t(model.name[i]) << 32 |
                                  std::uint64_t(copies ? model.facts[i].detail : 0) << 4 |
                                  static_cast<std::uint64_t>(model.category[i]);
        const auto [it, isNew] = numbers.try_emplace(key, rows.size());
        if (isNew) {
            TableRow row;
            row.category = model.category[i];
            row.name = model.name[i];
            row.detail = copies ? model.facts[i].detail : 0;
            rows.push_back(row);
            longest_ns.push_back(-1);
        }
        return it->second;
    };
    for (EventIndex i = 0; i < model.size(); ++i) {
        if (!counted.counts(i))
            continue;
        const std::size_t number = rowOf(i);
        TableRow& row = rows[number];
        const std::int64_t time_ns = counted.time_ns(i);
        ++row.count;
        row.total_ns += time_ns;
        const EventFacts& facts = model.facts[i];
        row.moved.add(facts.bytes, model.duration_ns(i), time_ns);
        row.oneLaunch = row.oneLaunch && (row.count == 1 || row.launch == facts.launch);
        if (model.duration_ns(i) > longest_ns[number]) {
            longest_ns[number] = model.duration_ns(i);
            row.longest = i;
            row.launch = facts.launch;
        }
        if (!model.isOperator(i))
            continue;
        // An operator's own time is what its children leave.
        const EventIndex parent = parentOf(model, i);
        if (parent != noEvent && model.isOperator(parent) && counted.counts(parent))
            rows[rowOf(parent)].total_ns -= time_ns;
    }
    const auto whole_ns = static_cast<double>(wholeOf(model, span));
    for (TableRow& row : rows)
        row.share = whole_ns > 0 ? static_cast<double>(row.total_ns) / whole_ns : 0;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const TableRow& a, const TableRow& b) { return a.total_ns > b.total_ns; });
    return rows;
}

std::vector<EventIndex> eventsNamed(const Model& model, const std::function<bool(const std::string&)>& matches)
{
    std::vector<bool> wanted(model.names.size());
    bool any = false;
    for (std::size_t i = 1; i < wanted.size(); ++i)
        any = (wanted[i] = matches(model.names[i])) || any;
    std::vector<EventIndex> out;
    for (EventIndex i = 0; any && i < model.size(); ++i)
        if (wanted[model.name[i]])
            out.push_back(i);
    std::stable_sort(out.begin(), out.end(),
                     [&](EventIndex a, EventIndex b) { return model.begin_ns[a] < model.begin_ns[b]; });
    return out;
}

} // namespace cudal1::timeline
