// SPDX-License-Identifier: GPL-3.0-or-later
// Episodes: resets, steps and what a policy sees of them.
#include "core/serve/episode.h"

#include "core/farm/evaluator.h"
#include "core/serve/trainerreward.h"
#include "core/store/storedjson.h"
#include "core/tasks/split.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

json orNull(const std::optional<double>& value)
{
    return value ? json(*value) : json(nullptr);
}

json findings(const std::vector<protocol::Reason>& reasons)
{
    json out = json::array();
    for (const protocol::Reason& one : reasons)
        out.push_back({{"code", one.code}, {"text", one.text}, {"evidence", one.evidence.substr(0, mostShownBytes)}});
    return out;
}

std::string freshId()
{
    char text[40];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(farm::freshSeed()),
                  static_cast<unsigned long long>(farm::freshSeed()));
    return text;
}

} // namespace

Episode::Episode(JudgeService& service, const TaskBook& book, std::string client)
    : m_service(service), m_book(book), m_client(std::move(client)), m_id(freshId())
{
}

Episode::~Episode()
{
    takeBack();
}

void Episode::takeBack()
{
    if (m_ticket)
        m_service.cancel(std::exchange(m_ticket, 0));
}

/// The same task for the same seed and suite.
base::Result<store::TaskRecord> Episode::drawnTask(std::uint64_t seed) const
{
    std::vector<const tasks::Task*> training;
    for (const tasks::Task& task : m_book.suite().tasks)
        if (tasks::splitOf(task.level, task.id) == tasks::Split::Train)
            training.push_back(&task);
    if (training.empty())
        return wrong("The suite has no task to draw", "Name one with \"task\"");
    std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u; // neighbouring seeds give tasks far apart
    mixed ^= mixed >> 32;
    return m_book.named(training[mixed % training.size()]->id.value);
}

base::Result<json> Episode::reset(const json& fields)
{
    if (!fields.is_object())
        return wrong("The data of a reset are a JSON object");
    Ask ask;
    // A seed draws the task, and is none of the judge's: candidates could learn the inputs of a seed that stays.
    json settings = fields;
    const json seed = fields.value("seed", json(nullptr));
    settings.erase("seed");
    settings.erase("cached");
    if (const auto status = readSettings(settings, m_service.served(), ask); !status)
        return status.error();
    if (!seed.is_null() && !(seed.is_number_integer() && seed.get<double>() >= 0))
        return wrong("\"seed\" is a whole number from 0");
    const bool named = !fields.value("task", json(nullptr)).is_null() ||
                       !fields.value("reference", json(nullptr)).is_null();
    auto task = named ? readTask(fields, m_book)
                      : drawnTask(seed.is_null() ? farm::freshSeed() : seed.get<std::uint64_t>());
    if (!task)
        return task.error();
    int steps = 8;
    if (const json given = fields.value("max_steps", json(nullptr)); !given.is_null()) {
        if (!given.is_number_integer() || given.get<std::int64_t>() < 1 || given.get<std::int64_t>() > mostSteps)
            return wrong("\"max_steps\" is a whole number from 1 to " + std::to_string(mostSteps));
        steps = given.get<int>();
    }
    const json id = fields.value("episode_id", json(nullptr));
    if (!id.is_null() && (!id.is_string() || id.get_ref<const std::string&>().size() > 255))
        return wrong("\"episode_id\" is a text of at most 255 characters");
    takeBack();
    ask.task = std::move(*task);
    ask.client = m_client;
    m_ask = std::move(ask);
    m_id = id.is_null() ? freshId() : id.get<std::string>();
    m_begun = true;
    m_steps = 0;
    m_mostSteps = steps;
    m_last.reset();
    m_problem.clear();
    m_reward.reset();
    m_best.reset();
    return result();
}

void Episode::step(const json& action, Reply reply)
{
    const auto refuse = [&](const Error& error) { reply(error); };
    if (!m_begun)
        return refuse(wrong("The episode has not begun", "Reset the environment first"));
    if (m_ticket)
        return refuse(wrong("A step is under way", "Wait for its observation, or reset"));
    if (m_steps >= m_mostSteps)
        return refuse(wrong("The episode is over", "Reset the environment"));
    if (!action.is_object())
        return refuse(wrong("An action is a JSON object with \"source\" or \"reply\""));
    auto source = readSource(action);
    if (!source) {
        // A model's reply without code is its failure; another field that is wrong is the caller's.
        if (source.error().code != ErrorCode::InvalidArgument || !action.value("reply", json()).is_string() ||
            action.contains("source"))
            return refuse(source.error());
        ++m_steps;
        m_last.reset();
        m_problem = source.error().text();
        m_reward = 0;
        m_best = std::max(m_best.value_or(0), 0.0);
        return reply(result());
    }
    Ask ask = m_ask;
    ask.source = std::move(*source);
    if (m_last && m_last->variant)
        ask.parent = m_last->variant;
    const auto ticket = m_service.submit(ask, {{}, [this, reply](const JudgeAnswer& answer) {
                                                   m_ticket = 0;
                                                   if (!answer.ok())
                                                       return reply(answer.error);
                                                   take(answer);
                                                   reply(result());
                                               }});
    if (!ticket)
        return refuse(ticket.error());
    m_ticket = *ticket;
}

void Episode::take(const JudgeAnswer& answer)
{
    ++m_steps;
    m_last = answer;
    m_problem.clear();
    m_reward = rewardOf(*answer.evaluation).paper;
    if (m_reward)
        m_best = std::max(m_best.value_or(0), *m_reward);
}

json Episode::observation() const
{
    json out = {
        {"task", m_ask.task.id.value},
        {"task_name", m_ask.task.name},
        {"reference", m_ask.task.source},
        {"device", m_ask.device},
        {"precision", protocol::toString(m_ask.precision)},
        {"preset", protocol::toString(m_ask.preset)},
        {"episode_id", m_id},
        {"step", m_steps},
        {"steps_left", m_mostSteps - m_steps},
        {"verdict", nullptr},
        {"reasons", json::array()},
        {"labels", json::array()},
        {"speedup", nullptr},
        {"reward", orNull(m_reward)},
        {"reward_estimate", nullptr},
        {"best_reward", orNull(m_best)},
        {"variant", nullptr},
        {"evaluation", nullptr},
        {"message", m_steps == 0 ? "Write a module ModelNew that computes what Model does, faster" : m_problem}};
    if (!m_problem.empty()) {
        out["verdict"] = "no_code";
        out["reasons"] = findings({{"no_code", m_problem, {}}});
        out["reward_estimate"] = 0;
    }
    if (!m_last)
        return out;
    const protocol::Evaluation& found = *m_last->evaluation;
    for (const auto& one : m_service.served().devices)
        if (one.name == found.device.name)
            out["device_model"] = one.model;
    out["verdict"] = protocol::toString(found.verdict);
    out["reasons"] = findings(found.reasons);
    out["labels"] = findings(found.labels);
    out["speedup"] = store::toJson(found.speedup.wall.speedup);
    const Reward reward = rewardOf(found);
    out["reward_estimate"] = orNull(reward.estimate);
    out["message"] = found.reasons.empty() ? reward.why : found.reasons.front().text;
    out["variant"] = m_last->variant ? json(m_last->variant.value) : json(nullptr);
    out["evaluation"] = m_last->id ? json(m_last->id.value) : json(nullptr);
    return out;
}

json Episode::result() const
{
    return {{"observation", observation()}, {"reward", orNull(m_reward)}, {"done", m_begun && m_steps >= m_mostSteps}};
}

json Episode::state() const
{
    json out = {{"episode_id", m_begun ? json(m_id) : json(nullptr)}, {"step_count", m_steps}};
    if (m_begun)
        out.update({{"task", m_ask.task.id.value},
                    {"max_steps", m_mostSteps},
                    {"done", m_steps >= m_mostSteps},
                    {"judging", m_ticket != 0},
                    {"best_reward", orNull(m_best)}});
    return out;
}

json Episode::metadata()
{
    return {{"name", "cudal1"},
            {"description",
             "Write a faster PyTorch module for a task; every candidate is checked against the reference and timed "
             "in processes that it cannot reach."},
            {"version", CUDAL1_VERSION},
            {"readme_content", nullptr},
            {"author", nullptr},
            {"documentation_url", nullptr}};
}

json Episode::schema()
{
    const auto text = [](const char* description) { return json{{"type", "string"}, {"description", description}}; };
    const auto orNothing = [](json kind) { return json{{"anyOf", {std::move(kind), json{{"type", "null"}}}}}; };
    const json number = {{"type", "number"}}, whole = {{"type", "integer"}};
    const json finding = {
        {"type", "array"},
        {"items",
         {{"type", "object"},
          {"properties",
           {{"code", {{"type", "string"}}}, {"text", {{"type", "string"}}}, {"evidence", {{"type", "string"}}}}}}}};
    return {{"action",
             {{"type", "object"},
              {"properties",
               {{"source", text("Python that defines ModelNew")},
                {"reply", text("Instead: a text with that Python in a fenced block")},
                {"metadata", {{"type", "object"}}}}}}},
            {"observation",
             {{"type", "object"},
              {"properties",
               {{"task", text("LEVEL/ID")},
                {"task_name", text("Its name")},
                {"reference", text("The reference module's source")},
                {"device", text("Where candidates are judged")},
                {"precision", text("kernelbench, ieee or tf32")},
                {"preset", text("quick, standard or paper")},
                {"episode_id", text("Names the episode in /step and /state")},
                {"step", whole},
                {"steps_left", whole},
                {"verdict",
                 orNothing(text("correct, incorrect, does_not_build, crashed, timed_out, out_of_memory, exploit, "
                                "reference_failed or no_code"))},
                {"reasons", finding},
                {"labels", finding},
                {"speedup", orNothing({{"type", "object"},
                                       {"properties", {{"estimate", number}, {"low", number}, {"high", number}}}})},
                {"reward", orNothing(number)},
                {"reward_estimate", orNothing(number)},
                {"best_reward", orNothing(number)},
                {"variant", orNothing(whole)},
                {"evaluation", orNothing(whole)},
                {"message", text("For a person")}}}}},
            {"state",
             {{"type", "object"},
              {"properties",
               {{"episode_id", orNothing({{"type", "string"}})},
                {"step_count", whole},
                {"task", text("LEVEL/ID")},
                {"max_steps", whole},
                {"done", {{"type", "boolean"}}},
                {"judging", {{"type", "boolean"}}},
                {"best_reward", orNothing(number)}}}}}};
}

} // namespace cudal1::serve
