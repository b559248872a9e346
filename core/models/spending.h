// SPDX-License-Identifier: GPL-3.0-or-later
// What models have taken, kept in the project, so that limits go on counting where a run goes on.
#pragma once

#include "core/models/runledgers.h"
#include "core/store/project.h"

#include <memory>

namespace cudal1::models {

/// Keeps the ledgers of a run in the project from its making to its end: they go on from what is kept under the same
/// key, and each change is written down, so that a killed process loses nothing that it paid for.
class Spending {
public:
    /// To be made before anything is asked. The project must outlive it; the ledgers need not. `anew`: what is kept is
    /// not gone on from.
    Spending(store::Project& project, std::string key, std::shared_ptr<RunLedgers> ledgers, bool anew = false);
    ~Spending();
    Spending(const Spending&) = delete;
    Spending& operator=(const Spending&) = delete;

private:
    void write();

    store::Project& m_project;
    std::string m_key;
    std::shared_ptr<RunLedgers> m_ledgers;
};

std::string spendingKey(base::RunId run);
std::string spendingKey(const std::string& campaign); ///< by a word for what is spent on
/// Nothing taken, where nothing is kept.
RunSpending spendingOf(const store::Project& project, const std::string& key);

} // namespace cudal1::models
