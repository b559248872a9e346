// SPDX-License-Identifier: GPL-3.0-or-later
// What the requests of a run have taken, and when that is enough.
#pragma once

#include "core/base/result.h"
#include "core/models/endpointsettings.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace cudal1::models {

/// Shared by all that is asked in a run, of any number of models. Used on one thread. What is on its way when a limit
/// of tokens or money is reached comes to its end, since it has been paid for by then; a limit of time ends it.
class Ledger {
public:
    struct Totals {
        std::int64_t requests = 0; ///< that were sent, repeated ones too
        std::int64_t repeated = 0; ///< because of a server that was busy or a connection that broke
        std::int64_t replies = 0;  ///< that came to their end
        std::int64_t promptTokens = 0, replyTokens = 0;
        /// Those of the above that the server did not tell; they are taken to be a third of the bytes, which is more
        /// than tokenizers make of code.
        std::int64_t guessedTokens = 0;
        std::map<std::string, double> cost; ///< by unit
        double seconds = 0;                 ///< since the first request; of several processes together
    };

    explicit Ledger(RunLimits limits = {}, std::function<double()> seconds = steadySeconds);

    /// What was taken before this process: it counts against the limits as if it had been taken now. To be told before
    /// anything is asked.
    void goOnFrom(const Totals& before) { m_totals = before; }
    /// Called after each change; null for nobody.
    void setOnChange(std::function<void()> onChange) { m_onChange = std::move(onChange); }

    /// LimitReached, with what was reached, once no further request may begin.
    base::Status mayAsk() const;
    /// Until the limit of time; empty where there is none.
    std::optional<double> secondsLeft() const;

    void asked(bool again);
    /// A reply, or a part of one that broke off (not `whole`): servers charge for those too. What the server did not
    /// tell is guessed from the bytes. A cost that is known already counts in place of the price.
    void answered(const policy::Usage& usage, const std::optional<TokenPrice>& price, std::int64_t promptBytes,
                  std::int64_t replyBytes, bool whole);

    Totals totals() const;
    const RunLimits& limits() const { return m_limits; }

    static double steadySeconds();

private:
    RunLimits m_limits;
    std::function<double()> m_seconds;
    double sinceBegin() const { return m_begun ? m_seconds() - *m_begun : 0.0; }

    std::optional<double> m_begun;
    Totals m_totals; ///< its seconds are those of processes before this one
    std::function<void()> m_onChange;
};

/// All numbers, as a project keeps them between the processes of a run.
std::string toJson(const Ledger::Totals& totals);
Ledger::Totals totalsFromJson(const std::string& text); ///< nothing taken, for what toJson() did not write

/// Of a reply by the price; empty where either is unknown.
std::optional<double> costOf(const policy::Usage& usage, const std::optional<TokenPrice>& price);

} // namespace cudal1::models
