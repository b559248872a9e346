// SPDX-License-Identifier: GPL-3.0-or-later
// What a caller may do with results that it has got.
#include "core/judge/witness/handedresults.h"

#include "core/judge/witness/comparison.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cudal1::judge {

void refuseUnreadable(const DrivenSubject::Unreadable& error)
{
    throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.", error.what());
}

/// All but the smallest, which take less than 128 KiB together. Where the reference's result is an input that it leaves
/// as it is, or a weight, there is nothing in it that could be prepared.
static std::vector<bool> largestOf(const std::vector<TensorSpec>& outputs, bool inputsAreWritten)
{
    constexpr std::size_t least = std::size_t{128} << 10;
    std::vector<std::size_t> bySize(outputs.size());
    std::iota(bySize.begin(), bySize.end(), std::size_t{0});
    std::sort(bySize.begin(), bySize.end(),
              [&](std::size_t a, std::size_t b) { return outputs[a].bytes < outputs[b].bytes; });
    std::vector<bool> large(outputs.size());
    std::size_t bytes = 0;
    for (const std::size_t i : bySize)
        if (outputs[i].fresh() || (inputsAreWritten && outputs[i].sharing == Sharing::Inputs))
            large[i] = (bytes += outputs[i].bytes) >= least;
    return large;
}

HandedResults::HandedResults(const ReferenceHost& reference, DrivenSubject& subject)
    : m_reference(reference), m_subject(subject),
      m_lookedAt(largestOf(reference.layout().outputs, reference.modifiesInputs()))
{
}

std::vector<ResultPlace> HandedResults::ofAll(std::vector<ResultPlace> named) const
{
    const std::vector<TensorSpec>& outputs = m_reference.layout().outputs;
    for (std::size_t i = named.size(); i < outputs.size(); ++i) {
        ResultPlace place;
        place.offset = outputs[i].offset;
        named.push_back(place);
    }
    return named;
}

HandedResults::Origin HandedResults::originOf(const std::vector<ResultPlace>& named)
{
    const std::vector<TensorSpec>& outputs = m_reference.layout().outputs;
    const std::vector<ResultPlace> places = ofAll(named);
    Origin origin = Origin::Known;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const ResultPlace& place = places[i];
        if (!m_lookedAt[i] || !isCallers(place, outputs[i]))
            continue;
        const std::size_t bytes = outputs[i].bytes;
        const bool isNew = m_seen.emplace(place.kind, place.offset, bytes, place.handle).second,
                   isUnknown = m_known.emplace(place.kind, place.offset, bytes, place.handle).second;
        origin = std::max(origin, isNew ? Origin::New : isUnknown ? Origin::Again : Origin::Known);
    }
    return origin;
}

void HandedResults::goOn(const Places& known)
{
    m_known = m_seen = known;
    lookForWritten();
    for (const auto& place : std::exchange(m_written, {}))
        m_known.erase(place);
}

void HandedResults::lookForWritten()
{
    m_written.clear();
    for (const auto& known : m_known) {
        const auto& [kind, offset, bytes, handle] = known;
        ResultPlace place;
        place.kind = kind;
        place.offset = offset;
        if (m_reference.device().is_cpu() && !m_subject.isAsSpoiled(place, bytes, m_reference.arena()))
            m_written.insert(known);
    }
}

bool HandedResults::wereWritten(const std::vector<ResultPlace>& named) const
{
    const std::vector<TensorSpec>& outputs = m_reference.layout().outputs;
    const std::vector<ResultPlace> places = ofAll(named);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (m_written.contains({places[i].kind, places[i].offset, outputs[i].bytes, places[i].handle}))
            return true;
    return false;
}

void HandedResults::startOver(const std::vector<ResultPlace>& places)
{
    m_known.clear();
    originOf(places);
    spoil(places);
}

void HandedResults::spoil(const std::vector<ResultPlace>& places)
{
    try {
        m_subject.spoil(places, m_reference.layout(), m_reference.arena());
        synchronise(m_reference.device());
    } catch (const DrivenSubject::Unreadable& error) {
        refuseUnreadable(error);
    }
}

void HandedResults::hold(std::vector<ResultPlace> places)
{
    bool opened = false;
    try {
        m_held = ofAll(std::move(places));
        m_heldResults = m_subject.read(m_held, m_reference.layout(), m_reference.arena(), opened);
        synchronise(m_reference.device());
    } catch (const DrivenSubject::Unreadable& error) {
        refuseUnreadable(error);
    }
}

void HandedResults::checkHeld()
{
    if (m_held.empty())
        return;
    const std::vector<ResultPlace> places = std::exchange(m_held, {});
    bool opened = false, same = true;
    try {
        const std::vector<at::Tensor> now = m_subject.read(places, m_reference.layout(), m_reference.arena(), opened);
        synchronise(m_reference.device());
        for (std::size_t i = 0; i < now.size(); ++i)
            same = same && (places[i].kind == ResultPlace::Kind::Arena || sameBytes(now[i], m_heldResults[i]));
    } catch (const DrivenSubject::Unreadable&) {
        same = false;
    }
    m_heldResults.clear();
    if (!same)
        throw Refusal("static_output", "The result is memory that the next call overwrites.",
                      "a timed result changed while the caller still held it");
}

} // namespace cudal1::judge
