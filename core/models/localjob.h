// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a local model's process, and what that takes.
#pragma once

#include "core/models/ledger.h"
#include "core/policy/chatmodel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::models {

/// What a LocalModel asks.
struct LocalQuestion {
    policy::ChatRequest request; ///< with the settings of the model where it left one open
    policy::ChatListener listener;
    std::vector<std::shared_ptr<Ledger>> ledgers;
    const void* owner = nullptr; ///< that takes back all that is its own
    bool live = true;
    bool again = false; ///< it outlived one process
};

/// Replies `first`, `first` + 1, … of a question that are asked for together.
struct LocalJob {
    std::shared_ptr<LocalQuestion> question;
    int first = 0;
    struct Reply {
        bool told = false;
        std::int64_t bytes = 0; ///< that were written of it
    };
    std::vector<Reply> replies;
    std::size_t left = 0;
    bool sent = false;
    bool promptCounted = false;
    double begun = 0; ///< on the SharedClock

    /// What a reply takes by now, into the ledgers and its cost into `usage`. The prompt was read once for all replies.
    void count(const Reply& reply, policy::Usage& usage, bool whole, double now, const std::string& unit);
    /// The same of what was written of replies that will not come to their end.
    void countBroken(double now, const std::string& unit);
};

} // namespace cudal1::models
