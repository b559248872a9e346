// SPDX-License-Identifier: GPL-3.0-or-later
// Gaps: what ran is merged into pieces, and each kind of host activity is swept along the gaps once.
#include "core/timeline/gaps.h"

#include "core/base/counttext.h"
#include "core/base/percenttext.h"
#include "core/timeline/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>

namespace cudal1::timeline {

using Category = protocol::TimelineEvent::Category;
using Cause = Gap::Cause;

namespace {

/// A time without a break; `name` is of the longest event in it, `event` the first.
struct Piece {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint32_t name = 0;
    EventIndex event = noEvent;
    std::int64_t longest_ns = 0;
};

std::vector<Piece> merged(const Model& model, std::vector<EventIndex> events)
{
    std::sort(events.begin(), events.end(),
              [&](EventIndex a, EventIndex b) { return model.begin_ns[a] < model.begin_ns[b]; });
    std::vector<Piece> out;
    for (const EventIndex i : events) {
        if (out.empty() || model.begin_ns[i] > out.back().end_ns)
            out.push_back({model.begin_ns[i], model.end_ns[i], model.name[i], i, model.duration_ns(i)});
        Piece& piece = out.back();
        piece.end_ns = std::max(piece.end_ns, model.end_ns[i]);
        if (model.duration_ns(i) > piece.longest_ns) {
            piece.longest_ns = model.duration_ns(i);
            piece.name = model.name[i];
        }
    }
    return out;
}

struct Overlap {
    std::int64_t total_ns = 0, largest_ns = 0;
    std::uint32_t name = 0; ///< of the piece with the largest part
};

/// Asked for times that never go back.
class Sweep {
public:
    explicit Sweep(std::vector<Piece> pieces) : m_pieces(std::move(pieces)) {}

    Overlap over(std::int64_t begin_ns, std::int64_t end_ns)
    {
        while (m_at < m_pieces.size() && m_pieces[m_at].end_ns <= begin_ns)
            ++m_at;
        Overlap out;
        for (std::size_t i = m_at; i < m_pieces.size() && m_pieces[i].begin_ns < end_ns; ++i) {
            const std::int64_t part = std::min(end_ns, m_pieces[i].end_ns) - std::max(begin_ns, m_pieces[i].begin_ns);
            out.total_ns += part;
            if (part > out.largest_ns) {
                out.largest_ns = part;
                out.name = m_pieces[i].name;
            }
        }
        return out;
    }

private:
    std::vector<Piece> m_pieces;
    std::size_t m_at = 0;
};

Cause callCause(std::string_view name)
{
    const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (has("Launch"))
        return Cause::Launching;
    if (has("Synchronize"))
        return Cause::Synchronisation;
    if (has("Memcpy") || has("Memset"))
        return Cause::Copy;
    if (has("Malloc") || has("MemAlloc") || has("Free") || has("MemMap") || has("MemCreate") || has("MemPool"))
        return Cause::Allocation;
    return Cause::OtherCall;
}

/// Without the arguments of a template and of a function, which are longer than a sentence should be.
std::string briefName(const std::string& name)
{
    const std::string text = shortName(name);
    const std::size_t bracket = text.find_first_of("<(");
    return bracket == 0 || bracket == text.npos ? text : text.substr(0, bracket);
}

constexpr std::size_t callCauses = 5; // Launching to OtherCall

class Finder {
public:
    explicit Finder(const Model& model) : m_model(model) {}

    std::vector<Gap> find()
    {
        sortEvents();
        std::vector<Gap> gaps;
        if (m_model.windows.empty()) {
            if (!m_work.empty())
                between(m_work.front().begin_ns, m_work.back().end_ns, gaps);
        } else {
            std::vector<protocol::TimelineWindow> windows = m_model.windows;
            std::sort(windows.begin(), windows.end(),
                      [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
            for (const protocol::TimelineWindow& window : windows)
                between(window.start_ns, window.end_ns, gaps);
        }
        return gaps;
    }

private:
    void sortEvents()
    {
        std::array<std::vector<EventIndex>, callCauses> calls;
        std::vector<EventIndex> device, operators, allCalls;
        const std::vector<Cause> causes = [&] {
            std::vector<Cause> out;
            for (const std::string& name : m_model.names)
                out.push_back(callCause(name));
            return out;
        }();
        for (EventIndex i = 0; i < m_model.size(); ++i) {
            switch (m_model.category[i]) {
            case Category::Kernel:
            case Category::Copy:
            case Category::Memset: device.push_back(i); break;
            case Category::Operator:
            case Category::UserScope:
                // The outermost level holds the time of what is inside.
                if (m_model.rowOf[i] == m_model.trackOf(i).firstRow)
                    operators.push_back(i);
                break;
            case Category::Wait:
                calls[std::size_t(Cause::Synchronisation)].push_back(i);
                allCalls.push_back(i);
                break;
            case Category::Runtime:
            case Category::Driver:
                calls[std::size_t(causes[m_model.name[i]])].push_back(i);
                allCalls.push_back(i);
                if (const std::uint64_t correlation = m_model.facts[i].correlation) {
                    auto [it, isNew] = m_launched.try_emplace(correlation, m_model.end_ns[i]);
                    it->second = std::min(it->second, m_model.end_ns[i]);
                }
                break;
            }
        }
        m_device = m_model.device.empty() ? !device.empty() : m_model.device != "cpu";
        m_work = merged(m_model, m_device ? std::move(device) : operators);
        for (std::size_t c = 0; c < callCauses; ++c)
            m_calls.emplace_back(merged(m_model, std::move(calls[c])));
        std::vector<EventIndex> host = operators;
        host.insert(host.end(), allCalls.begin(), allCalls.end());
        m_anyCall.emplace_back(merged(m_model, std::move(allCalls)));
        m_operators.emplace_back(merged(m_model, std::move(operators)));
        m_host.emplace_back(merged(m_model, std::move(host)));
    }

    void between(std::int64_t from_ns, std::int64_t to_ns, std::vector<Gap>& gaps)
    {
        auto piece = std::partition_point(m_work.begin(), m_work.end(),
                                          [&](const Piece& p) { return p.end_ns <= from_ns; });
        std::int64_t at = from_ns;
        for (; piece != m_work.end() && piece->begin_ns < to_ns; ++piece) {
            if (piece->begin_ns > at)
                gaps.push_back(explained(at, piece->begin_ns, piece->event));
            at = piece->end_ns;
        }
        if (at < to_ns)
            gaps.push_back(explained(at, to_ns, noEvent));
    }

    Gap explained(std::int64_t begin_ns, std::int64_t end_ns, EventIndex next)
    {
        Gap gap;
        gap.begin_ns = begin_ns;
        gap.end_ns = end_ns;
        gap.next = next;
        const auto length = static_cast<double>(end_ns - begin_ns);
        const auto take = [&](Cause cause, std::int64_t part_ns, std::uint32_t during) {
            gap.cause = cause;
            gap.share = static_cast<double>(part_ns) / length;
            gap.during = during;
        };
        // Every sweep moves on with every gap.
        std::array<Overlap, callCauses> calls;
        for (std::size_t c = 0; c < callCauses; ++c)
            calls[c] = m_calls[c].over(begin_ns, end_ns);
        const Overlap anyCall = m_anyCall[0].over(begin_ns, end_ns), operators = m_operators[0].over(begin_ns, end_ns),
                      host = m_host[0].over(begin_ns, end_ns);
        if (next == noEvent) {
            gap.cause = Cause::Ending;
            return gap;
        }
        if (const auto launched = m_launched.find(m_model.facts[next].correlation);
            m_device && m_model.facts[next].correlation && launched != m_launched.end() &&
            launched->second <= begin_ns) {
            gap.cause = Cause::Queued;
            return gap;
        }
        take(Cause::Idle, end_ns - begin_ns - host.total_ns, 0);
        std::int64_t most = end_ns - begin_ns - host.total_ns;
        const std::int64_t operatorsAlone = host.total_ns - anyCall.total_ns;
        if (m_device && operatorsAlone > most) {
            most = operatorsAlone;
            take(Cause::Operator, most, operators.name);
        }
        for (std::size_t c = 0; c < callCauses; ++c)
            if (calls[c].total_ns > most) {
                most = calls[c].total_ns;
                take(static_cast<Cause>(c), most, calls[c].name);
            }
        return gap;
    }

    const Model& m_model;
    bool m_device = false;
    std::vector<Piece> m_work;
    std::vector<Sweep> m_calls, m_anyCall, m_operators, m_host; // one each but of the calls
    std::unordered_map<std::uint64_t, std::int64_t> m_launched; ///< end of the call by correlation
};

} // namespace

std::vector<Gap> gapsOf(const Model& model)
{
    return Finder(model).find();
}

std::string_view word(Cause cause)
{
    switch (cause) {
    case Cause::Launching: return "launching";
    case Cause::Synchronisation: return "synchronisation";
    case Cause::Copy: return "copy";
    case Cause::Allocation: return "allocation";
    case Cause::OtherCall: return "CUDA call";
    case Cause::Operator: return "host operator";
    case Cause::Idle: return "outside operators";
    case Cause::Queued: return "device latency";
    case Cause::Ending: return "end of the call";
    }
    return {};
}

std::vector<GapTotal> gapTotals(const Model& model)
{
    std::int64_t whole_ns = 0;
    for (const protocol::TimelineWindow& window : model.windows)
        whole_ns += window.duration_ns();
    if (model.windows.empty()) {
        std::int64_t first_ns = model.last_ns, last_ns = model.first_ns;
        for (EventIndex i = 0; i < model.size(); ++i)
            if (model.onDevice(i)) {
                first_ns = std::min(first_ns, model.begin_ns[i]);
                last_ns = std::max(last_ns, model.end_ns[i]);
            }
        whole_ns = std::max<std::int64_t>(0, last_ns - first_ns);
    }
    std::map<Cause, GapTotal> totals;
    for (const Gap& gap : model.gaps) {
        GapTotal& total = totals[gap.cause];
        total.cause = gap.cause;
        ++total.count;
        total.total_ns += gap.duration_ns();
    }
    std::vector<GapTotal> out;
    for (auto& [cause, total] : totals) {
        total.share = whole_ns > 0 ? static_cast<double>(total.total_ns) / static_cast<double>(whole_ns) : 0;
        out.push_back(total);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const GapTotal& a, const GapTotal& b) { return a.total_ns > b.total_ns; });
    return out;
}

std::string gapTotalsText(const Model& model)
{
    const std::vector<GapTotal> totals = gapTotals(model);
    if (totals.empty())
        return {};
    double all = 0;
    std::string causes;
    for (const GapTotal& total : totals) {
        all += total.share;
        if (total.share < 0.0005)
            continue; // it would be 0.0 %
        causes += (causes.empty() ? ": " : ", ") + std::string(word(total.cause)) + ' ' +
                  base::finePercentText(total.share) + " (" + base::countText(std::int64_t(total.count)) +
                  (causes.empty() ? total.count == 1 ? " gap)" : " gaps)" : ")");
    }
    return base::finePercentText(all) +
           (model.windows.empty() ? " of the time from first to last work" : " of the timed windows") + " are gaps" +
           causes;
}

std::string sentence(const Model& model, const Gap& gap)
{
    const std::string share = " (" + base::percentText(gap.share) + " of the gap)";
    const std::string in = gap.during ? " in " + briefName(model.names[gap.during]) : std::string();
    const std::string before = gap.next == noEvent ? std::string(".")
                                                   : " before " + briefName(model.nameOf(gap.next)) + ".";
    switch (gap.cause) {
    case Cause::Launching: return "The host was busy launching" + in + share + before;
    case Cause::Synchronisation: return "The host waited for the device" + in + share + before;
    case Cause::Copy: return "The host was copying" + in + share + before;
    case Cause::Allocation: return "The host was allocating" + in + share + before;
    case Cause::OtherCall: return "The host was" + in + share + before;
    case Cause::Operator: return "The host was busy" + in + ", outside any CUDA call" + share + before;
    case Cause::Idle: return "The host was in no operator and in no CUDA call: Python, or idle" + share + before;
    case Cause::Queued:
        return "The next work was launched already: latency of the device, or it waited for other work," + before;
    case Cause::Ending: return "No work followed: the host noticed the end and the call returned.";
    }
    return {};
}

} // namespace cudal1::timeline
