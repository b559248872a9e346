// SPDX-License-Identifier: GPL-3.0-or-later
// What models have taken, kept in the project, so that limits go on counting where a run goes on.
#pragma once

#include "core/models/ledger.h"
#include "core/store/project.h"

#include <memory>

namespace cudal1::models {

/// Keeps a ledger in the project from its making to its end: the ledger goes on from what is kept under the same key,
/// and each change is written down, so that a killed process loses nothing that it paid for.
class Spending {
public:
    /// To be made before anything is asked. The project must outlive it; the ledger need not. `anew`: what is kept is
    /// not gone on from.
    Spending(store::Project& project, std::string key, std::shared_ptr<Ledger> ledger, bool anew = false);
    ~Spending();
    Spending(const Spending&) = delete;
    Spending& operator=(const Spending&) = delete;

private:
    void write();

    store::Project& m_project;
    std::string m_key;
    std::shared_ptr<Ledger> m_ledger;
};

std::string spendingKey(base::RunId run);
/// Nothing taken, where nothing is kept.
Ledger::Totals spendingOf(const store::Project& project, const std::string& key);

} // namespace cudal1::models
