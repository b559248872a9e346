// SPDX-License-Identifier: GPL-3.0-or-later
// Tools over one prompt.
#include "core/agents/runtools.h"

#include "core/base/ratiotext.h"
#include "core/policy/prompttext.h"
#include "core/protocol/marks.h"
#include "core/protocol/reward.h"

#include <algorithm>

namespace cudal1::agents {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

constexpr std::size_t mostEvidence = 4096, mostVariants = 20;

const char* const toolsText = R"json([
{"name": "evaluate", "title": "Judge a program",
 "description": "Judges Python source that defines ModelNew: whether it is correct, and how much faster than the reference, with an interval. Takes seconds to minutes and reports progress. Each call uses up one evaluation of the budget.",
 "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
   "file": {"type": "string", "description": "A file of the workspace, such as new.py"},
   "source": {"type": "string", "description": "Instead of file: the whole program"},
   "analysis": {"type": "string", "description": "What was changed and why it should be faster, in a few sentences"}}},
 "outputSchema": {"type": "object", "required": ["summary", "verdict", "reasons", "evaluations_left"], "properties": {
   "summary": {"type": "string"}, "verdict": {"type": "string"}, "evaluations_left": {"type": "integer"},
   "reasons": {"type": "array", "items": {"type": "object", "required": ["code", "text"]}},
   "reward": {"type": ["number", "null"]}, "interval": {"type": ["object", "null"]}, "variant": {"type": ["integer", "null"]}}}},
{"name": "show_task", "title": "Show the task",
 "description": "The reference's source, its operators with their times, the device, and what was judged so far.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "properties": {}},
 "outputSchema": {"type": "object", "required": ["task", "source", "facts"], "properties": {
   "task": {"type": "string"}, "source": {"type": "string"}, "facts": {"type": "string"}}}},
{"name": "variants", "title": "List variants",
 "description": "What was judged so far for this task, best first, with verdicts and speed-ups.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
   "source": {"type": "boolean", "description": "With the source of each"},
   "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most so many (default 20)"}}},
 "outputSchema": {"type": "object", "required": ["variants", "total"], "properties": {
   "variants": {"type": "array", "items": {"type": "object"}}, "total": {"type": "integer"}}}},
{"name": "compare", "title": "Compare two variants",
 "description": "Whether one judged variant is faster than another: faster, slower, same or unclear, with the ratio and its interval.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["first", "second"], "properties": {
   "first": {"type": "integer", "minimum": 1, "description": "Number of a variant"},
   "second": {"type": "integer", "minimum": 1, "description": "Number of another variant"}}},
 "outputSchema": {"type": "object", "properties": {"verdict": {"type": "string"}}}},
{"name": "timeline", "title": "Record a timeline",
 "description": "Runs a few calls of the reference and of a program, and tells what took the time: operators, kernels, copies, gaps. The program is run, not judged, and no evaluation is used up.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
   "file": {"type": "string", "description": "A file of the workspace; neither file nor source: the reference alone"},
   "source": {"type": "string", "description": "Instead of file: the whole program"}}},
 "outputSchema": {"type": "object", "required": ["task", "reference"], "properties": {
   "task": {"type": "string"}, "reference": {"type": "object"}, "candidate": {"type": ["object", "null"]}}}}
])json";

json intervalJson(const base::Interval& interval)
{
    if (!interval.valid())
        return nullptr;
    return {{"estimate", interval.estimate}, {"low", interval.low}, {"high", interval.high}};
}

std::string resultText(protocol::Verdict verdict, const base::Interval& wall, const std::string& reason)
{
    if (verdict == protocol::Verdict::Correct)
        return wall.valid() ? "correct, " + base::ratioText(wall) : "correct, not timed";
    return std::string(protocol::toString(verdict)) + (reason.empty() ? "" : ": " + reason);
}

} // namespace

json evaluationForAgent(const protocol::Evaluation& found, base::VariantId variant)
{
    json reasons = json::array();
    for (const protocol::Reason& one : found.reasons)
        reasons.push_back({{"code", one.code}, {"text", one.text}, {"evidence", one.evidence.substr(0, mostEvidence)}});
    const base::Interval& wall = found.speedup.wall.speedup;
    const auto reward = protocol::rewardOf(found.verdict, wall, protocol::labelCodes(found));
    json out = {{"summary", resultText(found.verdict, wall, found.reasons.empty() ? "" : found.reasons.front().text)},
                {"verdict", protocol::toString(found.verdict)},
                {"reasons", std::move(reasons)},
                {"reward", reward ? json(*reward) : json(nullptr)},
                {"interval", intervalJson(wall)},
                {"reference_ns", found.speedup.wall.reference_ns},
                {"candidate_ns", found.speedup.wall.candidate_ns},
                {"variant", variant ? json(variant.value) : json(nullptr)}};
    if (!found.output.empty())
        out["output"] = found.output.substr(0, mostEvidence);
    return out;
}

RunTools::RunTools(Means means, QObject* parent) : QObject(parent), m_means(std::move(means)) {}

const json& RunTools::list() const
{
    static const json tools = json::parse(toolsText);
    return tools;
}

std::string RunTools::instructions() const
{
    return "The judge of one task: write a module ModelNew that does what Model of reference.py does, in less time, "
           "and have "
           "it judged by evaluate. Only what the judge says counts.";
}

void RunTools::greeted(const json& client)
{
    const auto text = [&](const char* field) {
        const json value = client.value(field, json());
        return value.is_string() ? value.get<std::string>().substr(0, 100) : std::string();
    };
    const std::string version = text("version");
    m_client = text("name") + (version.empty() ? "" : " " + version);
}

base::Result<std::string> RunTools::sourceOf(const json& arguments, bool needed) const
{
    if (arguments.contains("file") && arguments.contains("source"))
        return wrong("\"file\" and \"source\" are two ways to say the same");
    if (arguments.contains("source"))
        return arguments["source"].get<std::string>();
    if (arguments.contains("file"))
        return m_means.workspace.read(arguments["file"].get<std::string>());
    if (needed)
        return wrong("A program is needed", "Name its \"file\", or send its \"source\"");
    return std::string();
}

mcp::Cancel RunTools::call(const std::string& tool, const json& arguments, const mcp::Caller& caller)
{
    const auto answer = [&](const base::Result<json>& result) {
        caller.done(result);
        return mcp::Cancel();
    };
    if (tool == "show_task")
        return answer(showTask());
    if (tool == "variants")
        return answer(variants(arguments));
    if (tool == "timeline")
        return timeline(arguments, caller);
    if (tool == "compare") {
        if (!m_means.bench)
            return answer(Error{ErrorCode::Unavailable, "Variants cannot be compared here", {}, {}});
        const auto text = m_means.bench->compare({arguments["first"].get<std::int64_t>()},
                                                 {arguments["second"].get<std::int64_t>()});
        return answer(text ? base::Result<json>(json::parse(*text, nullptr, false)) : text.error());
    }
    const auto source = sourceOf(arguments, true);
    if (!source)
        return answer(source.error());
    if (source->find_first_not_of(" \t\r\n") == std::string::npos)
        return answer(wrong("The program is empty"));
    return m_means.evaluate(
        {*source, arguments.value("analysis", std::string()), arguments.value("file", std::string())}, caller);
}

json RunTools::showTask() const
{
    const policy::Prompt& prompt = m_means.prompt;
    return {{"task", prompt.task.name},
            {"name", prompt.taskName},
            {"device", prompt.device.model},
            {"source", prompt.task.source},
            {"facts", policy::promptText(prompt)}};
}

json RunTools::variants(const json& arguments) const
{
    const std::size_t limit = std::size_t(arguments.value("limit", int(mostVariants)));
    json list = json::array();
    for (const policy::Exemplar& one : m_means.prompt.exemplars) {
        if (list.size() >= limit)
            break;
        json row = {{"variant", one.variant ? json(one.variant.value) : json(nullptr)},
                    {"summary", resultText(one.verdict, one.wall, one.reason)},
                    {"verdict", protocol::toString(one.verdict)},
                    {"interval", intervalJson(one.wall)},
                    {"origin", one.origin},
                    {"techniques", one.techniques}};
        if (arguments.value("source", false))
            row["source"] = one.source;
        list.push_back(std::move(row));
    }
    return {{"variants", std::move(list)}, {"total", m_means.prompt.exemplars.size()}};
}

mcp::Cancel RunTools::timeline(const json& arguments, const mcp::Caller& caller)
{
    const auto source = sourceOf(arguments, false);
    if (!source || !m_means.bench) {
        caller.done(source ? Error{ErrorCode::Unavailable, "Timelines cannot be recorded here", {}, {}}
                           : source.error());
        return {};
    }
    const int number = ++m_lastRecording;
    m_recordings[number] = m_means.bench->timeline(*source, [this, number, caller](base::Result<std::string> text) {
        // Its question is destroyed later, since this comes from within it.
        QMetaObject::invokeMethod(
            this, [this, number] { m_recordings.erase(number); }, Qt::QueuedConnection);
        caller.done(text ? base::Result<json>(json::parse(*text, nullptr, false)) : text.error());
    });
    return [this, number] { m_recordings.erase(number); };
}

} // namespace cudal1::agents
