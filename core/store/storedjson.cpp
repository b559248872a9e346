// SPDX-License-Identifier: GPL-3.0-or-later
// Rows, lineages and evaluations as JSON.
#include "core/store/storedjson.h"

namespace cudal1::store {

using nlohmann::json;

json toJson(const base::Interval& interval)
{
    if (!interval.valid())
        return nullptr;
    return {{"estimate", interval.estimate}, {"low", interval.low}, {"high", interval.high}};
}

json toJson(const protocol::Speedup& speedup)
{
    return {{"wall", speedup.wall}, {"event", speedup.event}, {"gpu_busy", speedup.gpuBusy}};
}

json toJson(const VariantRow& row)
{
    json out = {{"variant", row.id.value},
                {"task", row.task.value},
                {"stale", row.stale},
                {"verdict", nullptr},
                {"speedup", {{"wall", nullptr}, {"event", nullptr}}},
                {"techniques", row.techniques},
                {"origin", row.origin},
                {"run", row.run ? json(row.run.value) : json(nullptr)},
                {"created_ms", row.created_ms}};
    if (const auto& evaluation = row.evaluation) {
        out["evaluation"] = evaluation->id.value;
        out["verdict"] = protocol::toString(evaluation->verdict);
        out["speedup"] = {{"wall", toJson(evaluation->wall)}, {"event", toJson(evaluation->event)}};
        out["precision"] = {{"mode", protocol::toString(evaluation->precision)},
                            {"matched", evaluation->precisionMatched},
                            {"other_setting", evaluation->otherSetting}};
        out["preset"] = protocol::toString(evaluation->preset);
        out["device"] = {{"name", evaluation->device}, {"model", evaluation->deviceModel}};
        out["reason"] = evaluation->firstReason;
        out["evaluated_ms"] = evaluation->created_ms;
    }
    return out;
}

json toJson(const std::vector<VariantRow>& rows)
{
    json out = json::array();
    for (const VariantRow& row : rows)
        out.push_back(toJson(row));
    return out;
}

json toJson(const std::vector<LineageNode>& nodes)
{
    json out = json::array();
    for (const LineageNode& node : nodes)
        out.push_back({{"variant", node.id.value}, {"depth", node.depth}, {"ancestor", node.ancestor}});
    return out;
}

json evaluationJson(const protocol::Evaluation& evaluation, base::VariantId variant, base::EvaluationId id)
{
    json out = evaluation;
    if (id) {
        out["variant"] = variant.value;
        out["evaluation"] = id.value;
    }
    return out;
}

const char* stateWord(TaskRow::State state)
{
    switch (state) {
    case TaskRow::State::NotTried: return "not_tried";
    case TaskRow::State::Running: return "running";
    case TaskRow::State::Improved: return "improved";
    case TaskRow::State::NoGain: return "no_gain";
    case TaskRow::State::Failed: return "failed";
    }
    return "";
}

} // namespace cudal1::store
