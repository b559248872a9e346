// SPDX-License-Identifier: GPL-3.0-or-later
// What a caller may do with results that it has got.
#include "core/judge/witness/handedresults.h"

#include "core/judge/witness/comparison.h"

#include <utility>

namespace cudal1::judge {

void refuseUnreadable(const DrivenSubject::Unreadable& error)
{
    throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.", error.what());
}

void HandedResults::spoil()
{
    try {
        m_subject.spoil(m_reference.layout().outputs, m_reference.arena());
        synchronise(m_reference.device());
    } catch (const DrivenSubject::Unreadable& error) {
        refuseUnreadable(error);
    }
}

void HandedResults::hold()
{
    bool opened = false;
    try {
        m_held = m_subject.places(m_reference.layout().outputs.size());
        m_heldResults = m_subject.read(m_held, m_reference.layout().outputs, m_reference.arena(), opened);
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
        const std::vector<at::Tensor> now = m_subject.read(places, m_reference.layout().outputs, m_reference.arena(),
                                                           opened);
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
