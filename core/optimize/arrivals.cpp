// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of answers in the project's cache.
#include "core/optimize/arrivals.h"

#include <cstdio>

namespace cudal1::optimize {

base::Result<std::vector<std::string>> Arrivals::begin(base::RunId run, int round, int turn)
{
    m_run = "arrived/" + std::to_string(run.value) + "/";
    m_turn = m_run + std::to_string(round) + "/" + std::to_string(turn) + "/";
    auto kept = m_project.caches(m_turn);
    m_count = kept ? kept->size() : 0;
    return kept;
}

base::Status Arrivals::keep(const std::string& text)
{
    char number[32];
    std::snprintf(number, sizeof number, "%09zu", m_count++); // keys are in the order of texts
    return m_project.putCache(m_turn + number, text);
}

base::Status Arrivals::clear()
{
    return m_project.dropCaches(m_run);
}

} // namespace cudal1::optimize
