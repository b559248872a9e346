// SPDX-License-Identifier: GPL-3.0-or-later
// Tools over the project, the crew and the service.
#include "core/serve/mcptools.h"

#include "core/baselines/rowjson.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"
#include "core/serve/mcpschemas.h"
#include "core/store/storedjson.h"
#include "core/store/variantfacts.h"
#include "core/taskfacts/factsjson.h"
#include "core/timeline/timelinesummary.h"

#include <QString>

#include <algorithm>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

/// What an agent reads of an evaluation: without samples, and with evidence of a readable length.
json shortAnswer(const JudgeAnswer& answer)
{
    json out = answerJson(answer, false);
    const protocol::Evaluation& found = *answer.evaluation;
    out["summary"] = found.task + ": " + optimize::outcomeText(found);
    for (const char* list : {"reasons", "labels"})
        for (json& one : out[list])
            one["evidence"] = one["evidence"].get<std::string>().substr(0, mostShownBytes);
    if (!found.output.empty())
        out["output"] = found.output.substr(0, mostShownBytes);
    out.erase("environment");
    if (answer.id)
        out["report"] = "cudal1://evaluations/" + std::to_string(answer.id.value);
    return out;
}

} // namespace

McpTools::McpTools(Means means, QObject* parent) : QObject(parent), m_means(std::move(means))
{
    connect(&m_means.crew, &crew::Crew::progress, this, [this](quint64 job, const protocol::Progress& seen) {
        const auto it = m_recordings.find(job);
        if (it != m_recordings.end() && it->second.caller.progress)
            it->second.caller.progress(seen.fraction, optimize::phaseText(seen.phase) + " " + seen.text);
    });
    connect(&m_means.crew, &crew::Crew::done, this, [this](quint64 job, const crew::JobOutcome& outcome) {
        const auto it = m_recordings.find(job);
        if (it == m_recordings.end())
            return;
        const Recording recording = std::move(it->second);
        m_recordings.erase(it);
        if (outcome.kind != crew::JobOutcome::Kind::Answered)
            return recording.caller.done(outcome.error);
        recording.caller.done(
            recording.keep(*std::get<std::shared_ptr<const protocol::TimelineAnswer>>(outcome.answer)));
    });
}

const json& McpTools::list() const
{
    return toolList();
}

std::string McpTools::instructions() const
{
    return "Judges faster versions of PyTorch modules. list_tasks and show_task give references; write a module "
           "ModelNew with "
           "the same constructor and forward, and call evaluate. A verdict other than correct has reasons. The judge "
           "measures "
           "in processes that a candidate cannot reach; only what it says counts.";
}

McpTools::Cancel McpTools::call(const std::string& tool, const json& arguments, const Caller& caller)
{
    if (tool == "evaluate")
        return whenReady(caller, [this, arguments, caller] { return evaluate(arguments, caller); });
    if (tool == "timeline")
        return whenReady(caller, [this, arguments, caller] { return timeline(arguments, caller); });
    caller.done(read(tool, arguments));
    return {};
}

/// Agents are answered at once when they begin, while the evaluator may still be waited for.
McpTools::Cancel McpTools::whenReady(const Caller& caller, std::function<Cancel()> begin)
{
    struct Waiting {
        bool cancelled = false;
        Cancel cancel;
    };
    const auto waiting = std::make_shared<Waiting>();
    m_means.whenReady([waiting, caller, begin = std::move(begin)](const base::Status& status) {
        if (waiting->cancelled)
            return;
        if (status)
            waiting->cancel = begin();
        else
            caller.done(status.error());
    });
    return [waiting] {
        waiting->cancelled = true;
        if (waiting->cancel)
            waiting->cancel();
    };
}

base::Result<json> McpTools::read(const std::string& tool, const json& arguments) const
{
    if (tool == "list_tasks")
        return listTasks(arguments);
    if (tool == "show_task")
        return showTask(arguments);
    if (tool == "compare")
        return compare(arguments);
    if (tool == "variants")
        return variants(arguments);
    if (tool == "baselines")
        return baselines(arguments);
    if (tool == "kernels")
        return kernels(arguments);
    return Error{ErrorCode::NotFound, "There is no tool \"" + tool + "\"", {}, {}};
}

base::Result<json> McpTools::listTasks(const json& arguments) const
{
    const auto rows = optimize::taskRows(m_means.project);
    if (!rows)
        return rows.error();
    const taskfacts::KnownTasks known(*rows);
    const int level = arguments.value("level", -1);
    const std::string split = arguments.value("split", std::string());
    const QString search = QString::fromStdString(arguments.value("search", std::string()));
    const int offset = arguments.value("offset", 0), limit = arguments.value("limit", 300);
    json list = json::array();
    int total = 0;
    for (const tasks::Task& task : m_means.book.suite().tasks) {
        if ((level >= 0 && task.level != level) ||
            (!search.isEmpty() &&
             !QString::fromStdString(task.id.value + " " + task.name).contains(search, Qt::CaseInsensitive)))
            continue;
        json one = taskfacts::taskJson(task, known.of(task));
        if (!split.empty() && one["split"] != split)
            continue;
        one.erase("path"); // of this machine
        if (total++ >= offset && int(list.size()) < limit)
            list.push_back(std::move(one));
    }
    return json{{"suite", m_means.book.suite().pin()}, {"tasks", std::move(list)}, {"total", total}};
}

base::Result<json> McpTools::showTask(const json& arguments) const
{
    const auto task = readTask(arguments, m_means.book);
    if (!task)
        return task.error();
    taskfacts::FactsQuestion question{*task, m_means.bundled, {}, m_means.service.served().device};
    for (const auto& device : m_means.service.served().devices)
        if (device.name == question.deviceName)
            question.device = device;
    json out = taskfacts::factsJson(*task, taskfacts::gather(question, &m_means.project));
    if (!arguments.value("operators", false))
        out.erase("operators");
    out["source"] = task->source;
    return out;
}

base::Result<json> McpTools::compare(const json& arguments) const
{
    const base::VariantId firstId{arguments["first"].get<std::int64_t>()},
        secondId{arguments["second"].get<std::int64_t>()};
    if (firstId == secondId)
        return wrong("Both are variant " + std::to_string(firstId.value), "Name two variants");
    const auto first = store::readVariant(m_means.project, firstId),
               second = store::readVariant(m_means.project, secondId);
    for (const auto* one : {&first, &second}) {
        if (!*one)
            return one->error();
        if ((*one)->evaluations.empty())
            return wrong("Variant " + std::to_string((*one)->id.value) + " was not judged yet",
                         "Judge it with the tool evaluate");
    }
    const auto firstLineage = store::lineageOf(m_means.project, *first),
               secondLineage = store::lineageOf(m_means.project, *second);
    for (const auto* one : {&firstLineage, &secondLineage})
        if (!*one)
            return one->error();
    const auto versus = store::versus(m_means.project, firstId, secondId);
    if (!versus)
        return versus.error();
    return store::comparisonJson(*first, *firstLineage, *second, *secondLineage, *versus);
}

base::Result<json> McpTools::variants(const json& arguments) const
{
    const auto task = readTask(arguments, m_means.book);
    if (!task)
        return task.error();
    const auto rows = m_means.project.variantRows(task->id);
    if (!rows)
        return rows.error();
    const std::size_t limit = std::size_t(arguments.value("limit", 20));
    json list = json::array();
    for (const store::VariantRow& row : *rows) {
        if (list.size() >= limit)
            break;
        json one = store::toJson(row);
        one["resource"] = "cudal1://variants/" + std::to_string(row.id.value) + "/source";
        if (arguments.value("source", false)) {
            const auto whole = m_means.project.variant(row.id);
            if (!whole)
                return whole.error();
            one["source"] = whole->source;
        }
        list.push_back(std::move(one));
    }
    return json{{"task", task->id.value}, {"variants", std::move(list)}, {"total", rows->size()}};
}

base::Result<json> McpTools::baselines(const json& arguments) const
{
    const auto task = readTask(arguments, m_means.book);
    if (!task)
        return task.error();
    const auto rows = baselines::latestOf(m_means.project, task->id);
    if (!rows)
        return rows.error();
    json list = json::array();
    for (const baselines::BaselineRow& row : *rows)
        list.push_back(baselines::toJson(row));
    json out = {{"task", task->id.value}, {"baselines", std::move(list)}};
    if (rows->empty())
        out["note"] = "None was measured; `cudal1 baselines " + task->id.value + "` does";
    return out;
}

base::Result<json> McpTools::kernels(const json& arguments) const
{
    const base::VariantId id{arguments["variant"].get<std::int64_t>()};
    if (const auto variant = m_means.project.variant(id); !variant)
        return variant.error();
    const auto records = m_means.project.kernels(id);
    if (!records)
        return records.error();
    json captures = json::array();
    for (const store::KernelsRecord& record : *records) {
        json modules = json::array();
        for (const protocol::KernelModule& module : record.kernels.modules) {
            json one = {
                {"kernels", module.kernels}, {"image_bytes", module.image_bytes}, {"has_ptx", !module.ptx.empty()}};
            if (arguments.value("ptx", false) && !module.ptx.empty())
                one["ptx"] = module.ptx;
            modules.push_back(std::move(one));
        }
        captures.push_back({{"device", record.kernels.device.model},
                            {"created_ms", record.created_ms},
                            {"modules", std::move(modules)},
                            {"notes", record.kernels.notes}});
    }
    json out = {{"variant", id.value}, {"captures", std::move(captures)}};
    if (records->empty())
        out["note"] = "None were captured; `cudal1 kernels " + std::to_string(id.value) + " --capture` does, on a GPU";
    return out;
}

McpTools::Cancel McpTools::evaluate(const json& arguments, const Caller& caller)
{
    const auto ask = readAsk(arguments, m_means.book, m_means.service.served(), caller.client);
    if (!ask) {
        caller.done(ask.error());
        return {};
    }
    TicketListener listener;
    if (caller.progress)
        listener.progress = [caller](const protocol::Progress& seen) {
            caller.progress(seen.fraction,
                            optimize::phaseText(seen.phase) + (seen.text.empty() ? "" : " " + seen.text));
        };
    listener.done = [caller](const JudgeAnswer& answer) {
        caller.done(answer.ok() ? base::Result<json>(shortAnswer(answer)) : answer.error);
    };
    const auto ticket = m_means.service.submit(*ask, std::move(listener));
    if (!ticket) {
        caller.done(ticket.error());
        return {};
    }
    return [this, ticket = *ticket] { m_means.service.cancel(ticket); };
}

McpTools::Cancel McpTools::timeline(const json& arguments, const Caller& caller)
{
    const auto refuse = [&](const Error& error) {
        caller.done(error);
        return Cancel();
    };
    if (arguments.contains("variant") && arguments.contains("source"))
        return refuse(wrong("\"variant\" and \"source\" are two ways to say the same"));
    json fields = arguments;
    std::string source = arguments.value("source", std::string());
    base::VariantId variant;
    if (arguments.contains("variant")) {
        variant = {arguments["variant"].get<std::int64_t>()};
        const auto known = m_means.project.variant(variant);
        if (!known)
            return refuse(known.error());
        if (arguments.contains("task") && arguments["task"] != known->task.value)
            return refuse(wrong("Variant " + std::to_string(variant.value) + " is of task " + known->task.value));
        fields["task"] = known->task.value;
        source = known->source;
    }
    const auto task = readTask(fields, m_means.book);
    if (!task)
        return refuse(task.error());
    Ask settings;
    if (const auto status = readSettings(arguments, m_means.service.served(), settings); !status)
        return refuse(status.error());
    protocol::TimelineRequest request;
    request.task = {task->id.value, task->source};
    request.candidate = source;
    request.candidateName = source.empty() ? "" : variant ? "variant " + std::to_string(variant.value) : "candidate.py";
    request.device = settings.device;
    request.precision = settings.precision;
    request.calls = arguments.value("calls", 3);
    const int rows = arguments.value("rows", 12);
    const crew::JobId job = m_means.crew.submit(
        {std::move(request), "timeline of " + task->id.value, false, {}, false});
    m_recordings[job] = {caller, [this, task = *task, variant, source, client = caller.client,
                                  rows](const protocol::TimelineAnswer& answer) {
                             return keepTimeline(task, variant, source, client, answer, rows);
                         }};
    return [this, job] {
        m_recordings.erase(job);
        m_means.crew.cancel(job);
    };
}

/// A source becomes a variant of its task, as it does when it is judged.
base::Result<json> McpTools::keepTimeline(const store::TaskRecord& task, base::VariantId variant,
                                          const std::string& source, const std::string& client,
                                          const protocol::TimelineAnswer& answer, int rows)
{
    if (const auto put = m_means.project.putTask(task); !put)
        return put.error();
    if (!variant && !source.empty()) {
        store::VariantRecord added;
        added.task = task.id;
        added.taskHash = task.hash;
        added.source = source;
        added.origin = "served: " + client;
        const auto id = m_means.project.addVariant(added);
        if (!id)
            return id.error();
        variant = *id;
    }
    const auto kept = m_means.project.addTimeline(task.id, variant, answer);
    if (!kept)
        return kept.error();
    json out = timeline::shortAnswerJson(answer, rows);
    out["timeline"] = kept->value;
    out["variant"] = variant ? json(variant.value) : json(nullptr);
    return out;
}

} // namespace cudal1::serve
