// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a request to judge, as a value and as the JSON that clients get.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>

namespace cudal1::serve {

/// Of a reason's evidence and of what a candidate printed: what a policy or an agent is shown.
constexpr std::size_t mostShownBytes = 4096;

struct JudgeAnswer {
    std::shared_ptr<const protocol::Evaluation> evaluation; ///< null: `error` says why
    base::VariantId variant;                                ///< none where it could not be stored
    base::EvaluationId id;
    bool cached = false; ///< it was judged before
    base::Error error;

    bool ok() const { return evaluation != nullptr; }
};

/// The object of `cudal1 evaluate --json` with "reward", "reward_estimate", "interval" (by the wall clock, null when
/// not timed) and "cached"; without raw samples and what the candidate printed where `samples` is false. {"error": …}
/// for a failure.
nlohmann::json answerJson(const JudgeAnswer& answer, bool samples);
/// {"error": {"code", "message", "context", "hint"}}
nlohmann::json errorJson(const base::Error& error);

} // namespace cudal1::serve
