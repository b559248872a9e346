// SPDX-License-Identifier: GPL-3.0-or-later
// The ledgers of a run: one for all that it asks, and one for each model.
#pragma once

#include "core/models/ledger.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace cudal1::models {

/// What a run has spent.
struct RunSpending {
    Ledger::Totals all;
    std::map<std::string, Ledger::Totals> models; ///< by "endpoint:NAME" or "local:NAME"
};

/// A run makes its models anew for each task, and again when it goes on after its process was killed. Their own limits
/// count through all of that, since the ledgers are here. Used on one thread.
class RunLedgers {
public:
    explicit RunLedgers(const RunLimits& limits = {}) : m_all(std::make_shared<Ledger>(limits)) {}
    ~RunLedgers();
    RunLedgers(const RunLedgers&) = delete;
    RunLedgers& operator=(const RunLedgers&) = delete;

    const std::shared_ptr<Ledger>& all() const { return m_all; }
    /// The ledger of this model with its own limits, the same one each time.
    std::shared_ptr<Ledger> of(const std::string& model, const RunLimits& limits);

    /// As Ledger::goOnFrom(), for all of them. To be told before anything is asked.
    void goOnFrom(const RunSpending& before);
    RunSpending spent() const;
    /// Called after each change of any of them; null for nobody.
    void setOnChange(std::function<void()> onChange);

private:
    std::shared_ptr<Ledger> m_all;
    std::map<std::string, std::shared_ptr<Ledger>> m_models;
    RunSpending m_before;
    std::function<void()> m_onChange;
};

/// As a project keeps it between the processes of a run.
std::string toJson(const RunSpending& spending);
RunSpending spendingFromJson(const std::string& text); ///< nothing spent, for what toJson() did not write

} // namespace cudal1::models
