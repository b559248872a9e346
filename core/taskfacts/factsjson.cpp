// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of tasks and rows of lists as JSON.
#include "core/taskfacts/factsjson.h"

#include "core/costs/program.h"
#include "core/store/storedjson.h"

namespace cudal1::taskfacts {

using nlohmann::json;
using Source = costs::Roofline::Source;

namespace {

const char* sourceWord(Source source)
{
    switch (source) {
    case Source::Unknown: return "unknown";
    case Source::DataSheet: return "data_sheet";
    case Source::Measured: return "measured";
    }
    return "";
}

json tensorsJson(const std::vector<costs::NamedTensor>& tensors)
{
    json out = json::array();
    for (const costs::NamedTensor& one : tensors)
        out.push_back({{"name", one.name}, {"shape", one.tensor.shape}, {"dtype", one.tensor.dtype}});
    return out;
}

json operatorsJson(const costs::Program& program)
{
    json out = json::array();
    for (const costs::Fold& fold : costs::folded(program)) {
        json block = json::array();
        for (std::size_t i = 0; i < fold.length; ++i) {
            const costs::Call& call = program.calls[fold.first + i];
            const costs::Operation& operation = program.operations[static_cast<std::size_t>(call.operation)];
            json results = json::array();
            for (const costs::Tensor& tensor : operation.results)
                results.push_back(costs::written(tensor));
            block.push_back({{"op", operation.name},
                             {"module", program.modulePaths[static_cast<std::size_t>(call.module)]},
                             {"arguments", operation.arguments},
                             {"results", results},
                             {"flops", operation.flops.total()},
                             {"bytes", operation.bytes},
                             {"time_ns", call.time_ns > 0 ? json(call.time_ns) : json(nullptr)}});
        }
        out.push_back({{"repeat", fold.repeat}, {"block", std::move(block)}});
    }
    return out;
}

json floorJson(const costs::Roofline& floor)
{
    return {{"source", sourceWord(floor.source)},
            {"bytes_per_second", floor.bytesPerSecond},
            {"bytes_ns", floor.bytes_ns},
            {"products_fp32_ns", floor.fp32_ns},
            {"products_tf32_ns", floor.tf32_ns}};
}

} // namespace

json factsJson(const store::TaskRecord& task, const TaskFacts& facts)
{
    json flags = json::array();
    for (const Flag& flag : facts.flags)
        flags.push_back({{"kind", toString(flag.kind)}, {"text", flag.text}, {"source", flag.source}});
    json out{{"task", task.id.value},
             {"name", task.name},
             {"level", task.level},
             {"hash", task.hash},
             {"description", facts.description},
             {"split", tasks::toString(facts.split)},
             {"flags", std::move(flags)},
             {"device", facts.device ? json(facts.device->model) : json(nullptr)}};
    if (!facts.program)
        return out;
    const costs::Costs& sums = *facts.costs;
    json outputs = json::array();
    for (const costs::Tensor& tensor : facts.program->outputs)
        outputs.push_back({{"shape", tensor.shape}, {"dtype", tensor.dtype}});
    out.update({{"inputs", tensorsJson(facts.program->inputs)},
                {"parameters", tensorsJson(facts.program->parameters)},
                {"buffers", tensorsJson(facts.program->buffers)},
                {"outputs", std::move(outputs)},
                {"operators_from", facts.programSource},
                {"complete", sums.complete},
                {"flops", {{"products", sums.flops.products}, {"others", sums.flops.others}}},
                {"bytes",
                 {{"read", sums.read_bytes},
                  {"written", sums.written_bytes},
                  {"minimum", sums.minimum_bytes()},
                  {"operators", sums.operator_bytes}}},
                {"forward_bytes", sums.forward_bytes()},
                {"intermediates_bytes", sums.intermediates_bytes},
                {"floor", floorJson(facts.floor)},
                {"operators", operatorsJson(*facts.program)}});
    if (facts.memory)
        out["memory"] = {
            {"arena_bytes", facts.memory->arena_bytes},       {"reference_bytes", facts.memory->reference_bytes},
            {"timed_bytes", facts.memory->timed_bytes},       {"candidate_bytes", facts.memory->candidate_bytes},
            {"contexts_bytes", facts.memory->contexts_bytes}, {"total_bytes", facts.memory->total_bytes()},
            {"device_bytes", facts.device->memory_bytes},     {"warning", memoryWarning(facts)}};
    return out;
}

json taskJson(const tasks::Task& task, const store::TaskRow* row)
{
    return {{"task", task.id.value},
            {"name", task.name},
            {"level", task.level},
            {"split", tasks::toString(tasks::splitOf(task.level, task.number))},
            {"path", task.path.string()},
            {"hash", task.hash},
            {"state", store::stateWord(row ? row->state : store::TaskRow::State::NotTried)},
            {"variants", row ? row->variants : 0},
            {"kept_as", row ? json(row->id.value) : json(nullptr)},
            {"other_texts", row ? row->otherTexts : 0},
            {"best", row && row->bestVariant ? json{{"variant", row->bestVariant.value},
                                                    {"speedup", {{"wall", store::toJson(row->best)}}},
                                                    {"marks", row->marks}}
                                             : json(nullptr)}};
}

KnownTasks::KnownTasks(const std::vector<store::TaskRow>& rows)
{
    for (const store::TaskRow& row : rows)
        m_rows.emplace(row.id, row);
}

const store::TaskRow* KnownTasks::of(const tasks::Task& task) const
{
    store::TaskRow wanted;
    wanted.id = task.id;
    wanted.level = task.level;
    wanted.suite = task.suite;
    wanted.hash = task.hash;
    const auto plain = m_rows.find(task.id);
    const auto it = m_rows.find(store::keptAs(wanted, plain == m_rows.end() ? nullptr : &plain->second));
    return it == m_rows.end() ? nullptr : &it->second;
}

} // namespace cudal1::taskfacts
