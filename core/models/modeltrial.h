// SPDX-License-Identifier: GPL-3.0-or-later
// One small question to a model, to see whether it answers and how fast.
#pragma once

#include "core/models/endpointsettings.h"
#include "core/models/localsettings.h"
#include "core/policy/chatmodel.h"

#include <functional>
#include <memory>
#include <optional>

namespace cudal1::models {

struct TrialResult {
    policy::ChatReply reply;
    double seconds = 0; ///< from asking to the end of the reply
    double first_s = 0; ///< from asking to the first text of it
    int pieces = 0;     ///< that the text came in
    /// After the first piece where it streams, else all in all; empty: not known. Of a server that streams and does not
    /// count tokens each piece is taken for one (`guessed`).
    std::optional<double> tokensPerSecond;
    bool guessed = false;
    bool streams() const { return pieces > 1; }
};

/// The settings for a trial: at most `limit_s` for the reply, one retry, few tokens.
EndpointSettings forTrial(EndpointSettings settings, double limit_s);

/// The same, less what a local model has no need of.
LocalSettings forTrial(LocalSettings settings);

/// Asks `model`, which must outlive the question. `then` is called once, as a ChatListener is. `waiting` as
/// ChatListener has it; the time of loading is not counted.
std::unique_ptr<policy::Question> tryModel(policy::ChatModel& model,
                                           std::function<void(base::Result<TrialResult> result)> then,
                                           std::function<void(const std::string& text)> waiting = {});

} // namespace cudal1::models
