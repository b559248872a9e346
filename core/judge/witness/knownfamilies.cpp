// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what is known of families.
#include "core/judge/witness/knownfamilies.h"

#include <utility>

namespace cudal1::judge {

const FamilyFacts* KnownFamilies::find(const std::string& family) const
{
    const auto found = m_present.find(family);
    return found == m_present.end() ? nullptr : &found->second;
}

const FamilyFacts& KnownFamilies::add(const std::string& family, FamilyFacts facts)
{
    return m_present.emplace(family, std::move(facts)).first->second;
}

const FamilyFacts& KnownFamilies::replace(const std::string& family, FamilyFacts facts)
{
    return m_present.insert_or_assign(family, std::move(facts)).first->second;
}

void KnownFamilies::leaveOut(const std::string& family, std::string why)
{
    FamilyFacts facts;
    facts.usable = false;
    facts.why = std::move(why);
    replace(family, std::move(facts));
}

std::vector<std::string> KnownFamilies::usableOthers() const
{
    std::vector<std::string> usable;
    for (const auto& [family, facts] : m_present)
        if (facts.usable && family != "as_given")
            usable.push_back(family);
    return usable;
}

void KnownFamilies::weightsChanged(bool initial)
{
    if (initial && !m_areInitial)
        m_present = std::exchange(m_initial, {});
    if (!initial && m_areInitial)
        m_initial = std::move(m_present);
    if (!initial)
        m_present.clear();
    m_areInitial = initial;
}

} // namespace cudal1::judge
