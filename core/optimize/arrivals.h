// SPDX-License-Identifier: GPL-3.0-or-later
// What a policy has got of an answer that is not whole yet, in the project until the turn is stored.
#pragma once

#include "core/store/project.h"

#include <string>
#include <vector>

namespace cudal1::optimize {

/// Each part lies in the project as soon as keep() returns, so a kill at any moment loses none.
class Arrivals {
public:
    explicit Arrivals(store::Project& project) : m_project(project) {}

    /// A turn of a run is asked for; what was kept of it before comes back, in the order of its coming.
    base::Result<std::vector<std::string>> begin(base::RunId run, int round, int turn);
    base::Status keep(const std::string& text);
    /// The turn is stored: nothing of the run is kept any more.
    base::Status clear();

private:
    store::Project& m_project;
    std::string m_run, m_turn; ///< what keys begin with
    std::size_t m_count = 0;
};

} // namespace cudal1::optimize
