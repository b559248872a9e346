// SPDX-License-Identifier: GPL-3.0-or-later
// Where the batches of a stage come from: the seam between the loop over steps and what each stage does for one.
#pragma once

#include "core/base/result.h"
#include "core/protocol/jsoninstances.h"
#include "core/protocol/training.h"

#include <nlohmann/json.hpp>

#include <QString>

#include <functional>
#include <variant>

namespace cudal1::learning {

class TrainerClient;

/// What the trainer is asked to learn, and what is known of it besides.
struct MadeBatch {
    std::variant<protocol::SftRequest, protocol::GrpoRequest> request;
    nlohmann::json facts = protocol::emptyObject(); ///< fields for the line of the step
};

class BatchMaker {
public:
    virtual ~BatchMaker() = default;
    /// Makes batch `number` and calls `made` once, from within the call or from the event loop; never after the maker's
    /// end or after cancel().
    virtual void make(int number, TrainerClient& trainer, std::function<void(base::Result<MadeBatch>)> made) = 0;
    virtual void cancel() = 0;                    ///< takes back what it has asked of others
    std::function<void(const QString& line)> log; ///< for a person; may be empty
};

} // namespace cudal1::learning
