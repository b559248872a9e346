// SPDX-License-Identifier: GPL-3.0-or-later
// A baseline of a task as JSON.
#include "core/baselines/rowjson.h"

#include "core/store/storedjson.h"

namespace cudal1::baselines {

using nlohmann::json;

json toJson(const BaselineRow& row)
{
    json out = {{"task", row.task.value},
                {"name", row.taskName},
                {"level", row.level},
                {"baseline", row.kind->id},
                {"variant", row.variant ? json(row.variant.value) : json(nullptr)},
                {"verdict", row.word()}};
    if (const auto& found = row.found) {
        out["evaluation"] = found->id.value;
        out["speedup"] = store::toJson(protocol::Speedup{found->wall, found->event, found->gpuBusy});
        out["reason"] = found->reason.code.empty() ? json(nullptr)
                                                   : json{{"code", found->reason.code}, {"text", found->reason.text}};
        out["labels"] = found->labels;
        out["nulls_passed"] = found->nulls.empty() ? json(nullptr) : json(found->nulls);
        out["seconds"] = found->seconds;
    }
    return out;
}

} // namespace cudal1::baselines
