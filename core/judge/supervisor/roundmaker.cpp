// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the witness for a round, and what its reply comes to.
#include "core/judge/supervisor/roundmaker.h"

#include "core/base/statistics.h"
#include "core/judge/wire/steadyclock.h"

#include <algorithm>

namespace cudal1::judge {

RoundMaker::RoundMaker(ReferenceSession& reference, Account& account, int core, std::uint64_t seed,
                       const Budget& budget)
    : m_reference(reference), m_account(account), m_core(core), m_inputSeeds(seed, SeedSequence::TimedInputs),
      m_settle_s(budget.settle_s)
{
    m_shape.ownFlush = budget.ownFlush;
    m_shape.mostKept = budget.mostKept;
    if (onCpu()) {
        m_shape.warmup_ns = 5e6;
        m_shape.timed_ns = m_shape.mostTimed_ns = 30e6;
    }
}

void RoundMaker::noteCall(double call_ns)
{
    m_longest_ns = std::max(m_longest_ns, call_ns);
    if (call_ns > 0)
        m_shortest_ns = std::min(m_shortest_ns, call_ns);
}

double RoundMaker::call_ns() const
{
    constexpr double most = 4; // caches that are emptied make short calls longer than those of trials
    return std::min(m_longest_ns, most * m_shortest_ns);
}

bool RoundMaker::longCalls() const
{
    // A call longer than this needs no warm-up: what a first call costs more (some 150 us for taking the device) does
    // not show in it.
    constexpr double longCall_ns = 200e6;
    return call_ns() > longCall_ns;
}

void RoundMaker::refreshInputs()
{
    const double begun = secondsNow();
    m_reference.ask(DrawBase{m_inputSeeds.next()});
    m_refresh_s = secondsNow() - begun;
    m_sinceRefresh_s = 0;
}

void RoundMaker::refreshInputsIfDue()
{
    if (m_sinceRefresh_s >= m_refresh_s)
        refreshInputs();
}

RunRound RoundMaker::requestOf(bool ofCandidate, double limit_s, bool first, bool counts) const
{
    const bool settle = first && !longCalls() && (ofCandidate || !m_referenceSettled);
    RunRound request;
    request.settle_ns = static_cast<std::int64_t>(settle ? m_settle_s * 1e9 : 0);
    request.warmup_ns = static_cast<std::int64_t>(longCalls() ? -1 : m_shape.warmup_ns);
    request.duration_ns = static_cast<std::int64_t>(std::clamp(8 * call_ns(), m_shape.timed_ns, m_shape.mostTimed_ns));
    request.maxCalls = m_shape.maxCalls;
    request.core = m_core;
    request.keep = counts;
    request.mostKept = m_shape.mostKept;
    // Both sides' rounds are made in the same way, so only the reference decides.
    constexpr double few = 6;
    request.fewCalls = few * m_reference.withAll_ns() > m_shape.timed_ns;
    request.ownFlush = m_shape.ownFlush && call_ns() < 1e6 && !onCpu() && !request.fewCalls;
    request.local = !ofCandidate && longCalls();
    request.paired = longCalls();
    request.limit_s = limit_s;
    return request;
}

RoundMaker::Round RoundMaker::make(SubjectHandle* candidate, double limit_s, bool first, bool counts, bool record)
{
    RunRound request = requestOf(candidate != nullptr, limit_s, first, counts);
    request.record = record;
    Round out;
    // The first round of the reference may start its process, whose CPU time is then not known before.
    const bool beside = onCpu() && !candidate && m_reference.wasTimed();
    OtherWork::Reading before;
    if (beside)
        before = m_otherWork.read(m_reference.cpu_s());
    const double begun = secondsNow();
    RunRound::Reply reply = m_reference.round(candidate, request, out.event_ns);
    const double took_ns = (secondsNow() - begun) * 1e9;
    if (beside)
        m_otherWork.add(before, m_otherWork.read(m_reference.cpu_s()));
    if (reply.empty_ns > 0)
        m_empty_ns.push_back(reply.empty_ns);
    // Handing over is no part of a call. It takes half a microsecond on a GPU, and some tens on a CPU whose cores are
    // all busy. The shortest that the reference has shown is subtracted, so a candidate gains nothing by answering an
    // empty step faster.
    const double empty_ns = m_empty_ns.empty() ? 0 : *std::min_element(m_empty_ns.begin(), m_empty_ns.end());
    for (std::vector<double>* calls : {&reply.wall_ns, &reply.launch_ns, &reply.elsewhere_ns})
        for (double& wall_ns : *calls)
            wall_ns = std::max(wall_ns - empty_ns, wall_ns / 2);
    out.outside = reply.outside;
    out.wall_ns = reply.wall_ns;
    out.elsewhere_ns = reply.elsewhere_ns;
    out.crowded = reply.waited_ns > 0.1 * took_ns;
    out.waited_ns = reply.waited_ns;
    out.others_ns = reply.others_ns;
    out.around_ns = timeAround(reply);
    ++m_rounds;
    m_crowded += out.crowded;
    if (counts)
        m_account.note(candidate ? DrivenSide::Candidate : DrivenSide::Reference, reply, out.crowded);
    // Only the reference decides how long calls are said to be: a candidate must not choose the length of rounds.
    if (!candidate)
        noteCall(base::median(out.wall_ns));
    return out;
}

} // namespace cudal1::judge
