// SPDX-License-Identifier: GPL-3.0-or-later
// Answers as JSON.
#include "core/serve/judgeanswer.h"

#include "core/farm/answer.h"
#include "core/protocol/wireerror.h"
#include "core/serve/trainerreward.h"
#include "core/store/storedjson.h"

namespace cudal1::serve {

using nlohmann::json;

json errorJson(const base::Error& error)
{
    return {{"error", protocol::wireError(error)}};
}

json answerJson(const JudgeAnswer& answer, bool samples)
{
    if (!answer.ok())
        return errorJson(answer.error);
    json out = store::evaluationJson(*answer.evaluation, answer.variant, answer.id);
    addReward(out, rewardOf(*answer.evaluation));
    out["interval"] = store::toJson(answer.evaluation->speedup.wall.speedup);
    out["cached"] = answer.cached;
    if (!answer.id)
        out["store_error"] = protocol::wireError(answer.error);
    if (!samples) {
        out.erase("pairs");
        out.erase("output");
        if (out["paper"].is_object())
            out["paper"].erase("samples");
    }
    return out;
}

} // namespace cudal1::serve
