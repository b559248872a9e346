// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies of requests as asks, and answers as bodies.
#include "core/serve/evaluationroutes.h"

#include "core/mcp/jsontext.h"
#include "core/serve/trainerreward.h"

#include <QTimer>

#include <algorithm>
#include <array>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

constexpr int mostWait_s = 60;

base::Result<json> objectIn(const std::string& body)
{
    json fields = mcp::readJson(body);
    if (fields.is_discarded())
        return wrong("The body is no JSON, or is nested too deeply", "Send one JSON object");
    if (!fields.is_object())
        return wrong("The body is " + std::string(fields.type_name()), "Send one JSON object");
    return fields;
}

/// A field that is true or false, or that is not there.
base::Result<bool> flag(const json& fields, const char* name, bool otherwise)
{
    if (!fields.contains(name) || fields[name].is_null())
        return otherwise;
    if (!fields[name].is_boolean())
        return wrong("\"" + std::string(name) + "\" is true or false");
    return fields[name].get<bool>();
}

bool wantsLater(const HttpRequest& request, const json& fields)
{
    return fields.value("async", json(false)) == json(true) ||
           request.header("prefer").find("respond-async") != std::string::npos;
}

/// The common fields of a batch with those of one of its requests over them.
json merged(const json& common, const json& own)
{
    json out = common;
    for (const char* name :
         {"requests", "sources", "replies", "completions", "tasks", "references", "async", "samples"})
        out.erase(name);
    for (const auto& [name, value] : own.items()) {
        // One of each pair: what the request itself says takes the place of the other.
        for (const auto& [one, other] : {std::pair("task", "reference"), std::pair("source", "reply")}) {
            if (name == one)
                out.erase(other);
            if (name == other)
                out.erase(one);
        }
        out[name] = value;
    }
    return out;
}

/// A chat's completion as trainers hand it over: a text, or messages whose last one has the text.
base::Result<std::string> completionText(const json& completion)
{
    if (completion.is_string())
        return completion.get<std::string>();
    if (completion.is_array() && !completion.empty() && completion.back().is_object() &&
        completion.back().contains("content") && completion.back()["content"].is_string())
        return completion.back()["content"].get<std::string>();
    return wrong("A completion is a text, or a list of messages of which the last has \"content\"");
}

/// One object for each candidate of a request for rewards.
base::Result<std::vector<json>> itemsOf(const json& fields)
{
    const std::array<const char*, 3> kinds{"sources", "replies", "completions"};
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const char* name) { return fields.contains(name); });
    if (kind == kinds.end() || !fields[*kind].is_array())
        return wrong("There is no list of candidates",
                     "Give one of \"sources\" (Python) and \"completions\" (replies with the code in a block)");
    const json& list = fields[*kind];
    std::vector<json> out;
    for (const json& one : list) {
        json item = json::object();
        if (std::string_view(*kind) == "sources") {
            item["source"] = one;
        } else {
            const auto text = completionText(one);
            if (!text)
                return text.error();
            item["reply"] = *text;
        }
        out.push_back(std::move(item));
    }
    for (const auto& [many, single] : {std::pair("tasks", "task"), std::pair("references", "reference")}) {
        if (!fields.contains(many))
            continue;
        if (!fields[many].is_array() || fields[many].size() != out.size())
            return wrong("\"" + std::string(many) + "\" is a list as long as that of the candidates");
        for (std::size_t at = 0; at < out.size(); ++at)
            out[at][single] = fields[many][at];
    }
    return out;
}

HttpResponse rewardsResponse(const std::vector<JudgeAnswer>& answers)
{
    json out = {{"rewards", json::array()}, {"estimates", json::array()}, {"verdicts", json::array()},
                {"reasons", json::array()}, {"variants", json::array()},  {"evaluations", json::array()}};
    for (const JudgeAnswer& answer : answers) {
        json one;
        // What is no candidate at all is a failure of the policy like any other.
        addReward(one, answer.ok()                                       ? rewardOf(*answer.evaluation)
                       : answer.error.code == ErrorCode::InvalidArgument ? Reward{0, 0, {}}
                                                                         : Reward{{}, {}, answer.error.text()});
        out["rewards"].push_back(one["reward"]);
        out["estimates"].push_back(one["reward_estimate"]);
        out["verdicts"].push_back(answer.ok() ? json(protocol::toString(answer.evaluation->verdict)) : json(nullptr));
        const std::string reason = !answer.ok()                       ? answer.error.text()
                                 : answer.evaluation->reasons.empty() ? one.value("reward_why", std::string())
                                                                      : answer.evaluation->reasons.front().text;
        out["reasons"].push_back(reason.empty() ? json(nullptr) : json(reason));
        out["variants"].push_back(answer.variant ? json(answer.variant.value) : json(nullptr));
        out["evaluations"].push_back(answer.id ? json(answer.id.value) : json(nullptr));
    }
    return jsonResponse(200, out);
}

} // namespace

EvaluationRoutes::EvaluationRoutes(HttpServer& server, JudgeService& service, const TaskBook& book, QObject* parent)
    : QObject(parent), m_server(server), m_service(service), m_book(book)
{
}

bool EvaluationRoutes::isBatch(const std::string& path)
{
    return path == "/evaluate/batch" || path == "/rewards";
}

bool EvaluationRoutes::handle(const HttpRequest& request)
{
    const std::string& path = request.path;
    const bool post = path == "/evaluate" || isBatch(path);
    if (!post && !path.starts_with("/evaluations/"))
        return false;
    if (post ? request.method != "POST" : request.method != "GET" && request.method != "DELETE") {
        HttpResponse response = errorResponse(
            405, wrong(path + " is asked by " + (post ? "POST" : "GET or DELETE") + ", not by " + request.method));
        response.headers.emplace_back("Allow", post ? "POST" : "GET, DELETE");
        m_server.respond(request.id, std::move(response));
    } else if (path == "/evaluate") {
        evaluate(request);
    } else if (path == "/evaluate/batch") {
        evaluateBatch(request);
    } else if (path == "/rewards") {
        rewards(request);
    } else {
        evaluation(request);
    }
    return true;
}

void EvaluationRoutes::refuse(std::uint64_t request, const Error& error)
{
    HttpResponse response = errorResponse(error);
    if (response.status == 429 || response.status == 503)
        response.headers.emplace_back("Retry-After", std::to_string(m_service.retryAfter_s()));
    m_server.respond(request, std::move(response));
}

void EvaluationRoutes::evaluate(const HttpRequest& request)
{
    const auto fields = objectIn(request.body);
    if (!fields)
        return refuse(request.id, fields.error());
    const auto samples = flag(*fields, "samples", true);
    if (!samples)
        return refuse(request.id, samples.error());
    const auto ask = readAsk(*fields, m_book, m_service.served(), request.client);
    if (!ask) {
        // Too large is said as HTTP says it; a full queue is another matter.
        if (ask.error().code == ErrorCode::LimitReached)
            return m_server.respond(request.id, errorResponse(413, ask.error()));
        return refuse(request.id, ask.error());
    }
    if (wantsLater(request, *fields))
        return later(request.id, {*ask}, true);
    judge(request.id, {*ask}, [samples = *samples](const Batch& batch) {
        const JudgeAnswer& answer = batch.answers.front();
        return answer.ok() ? jsonResponse(200, answerJson(answer, samples)) : errorResponse(answer.error);
    });
}

void EvaluationRoutes::evaluateBatch(const HttpRequest& request)
{
    const auto fields = objectIn(request.body);
    if (!fields)
        return refuse(request.id, fields.error());
    const auto samples = flag(*fields, "samples", true);
    if (!samples)
        return refuse(request.id, samples.error());
    const json list = fields->value("requests", json());
    if (!list.is_array() || list.empty() || list.size() > mostOfABatch)
        return refuse(request.id,
                      wrong("\"requests\" is a list of 1 to " + std::to_string(mostOfABatch) + " requests"));
    std::vector<base::Result<Ask>> asks;
    for (const json& one : list)
        asks.push_back(one.is_object() ? readAsk(merged(*fields, one), m_book, m_service.served(), request.client)
                                       : base::Result<Ask>(
                                             wrong("A request is a JSON object, not " + std::string(one.type_name()))));
    if (wantsLater(request, *fields)) {
        std::vector<Ask> good;
        for (std::size_t at = 0; at < asks.size(); ++at) {
            if (!asks[at]) {
                Error error = asks[at].error();
                error.context = "requests[" + std::to_string(at) + "]" +
                                (error.context.empty() ? "" : ", " + error.context);
                return refuse(request.id, error);
            }
            good.push_back(*asks[at]);
        }
        return later(request.id, good, false);
    }
    judge(request.id, asks, [samples = *samples](const Batch& batch) {
        json results = json::array();
        for (const JudgeAnswer& answer : batch.answers)
            results.push_back(answerJson(answer, samples));
        return jsonResponse(200, {{"results", std::move(results)}});
    });
}

void EvaluationRoutes::rewards(const HttpRequest& request)
{
    const auto fields = objectIn(request.body);
    if (!fields)
        return refuse(request.id, fields.error());
    const auto items = itemsOf(*fields);
    if (!items)
        return refuse(request.id, items.error());
    if (items->size() > mostOfABatch)
        return refuse(request.id, wrong("At most " + std::to_string(mostOfABatch) + " candidates are taken at a time"));
    std::vector<base::Result<Ask>> asks;
    for (const json& item : *items) {
        const json whole = merged(*fields, item);
        // A task that is not there, or a device, is the caller's mistake and no candidate's.
        if (const auto task = readTask(whole, m_book); !task)
            return refuse(request.id, task.error());
        Ask settings;
        if (const auto status = readSettings(whole, m_service.served(), settings); !status)
            return refuse(request.id, status.error());
        asks.push_back(readAsk(whole, m_book, m_service.served(), request.client));
        if (!asks.back() && asks.back().error().code == ErrorCode::LimitReached)
            asks.back() = wrong(asks.back().error().message);
    }
    judge(request.id, asks, [](const Batch& batch) { return rewardsResponse(batch.answers); });
}

void EvaluationRoutes::later(std::uint64_t request, const std::vector<Ask>& asks, bool one)
{
    const auto ids = m_service.accept(asks);
    if (!ids)
        return refuse(request, ids.error());
    json accepted = json::array();
    for (const std::string& id : *ids) {
        const auto state = m_service.state(id);
        accepted.push_back({{"id", id},
                            {"url", "/evaluations/" + id},
                            {"state", state ? state->word : std::string("waiting")},
                            {"position", state ? state->position : 0}});
    }
    HttpResponse response = jsonResponse(202, one ? accepted.front() : json{{"accepted", accepted}});
    if (one)
        response.headers.emplace_back("Location", "/evaluations/" + ids->front());
    m_server.respond(request, std::move(response));
}

void EvaluationRoutes::judge(std::uint64_t request, const std::vector<base::Result<Ask>>& asks, Finish finish)
{
    const auto batch = std::make_shared<Batch>();
    batch->answers.resize(asks.size());
    batch->finish = std::move(finish);
    std::vector<Ask> good;
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < asks.size(); ++at) {
        if (asks[at]) {
            good.push_back(*asks[at]);
            places.push_back(at);
        } else {
            batch->answers[at].error = asks[at].error();
        }
    }
    if (good.empty())
        return m_server.respond(request, batch->finish(*batch));
    batch->left = good.size();
    const auto tickets = m_service.submit(good, [&](std::size_t which) {
        return TicketListener{{}, [this, request, batch, at = places[which]](const JudgeAnswer& answer) {
                                  batch->answers[at] = answer;
                                  if (--batch->left > 0 || m_batches.erase(request) == 0)
                                      return;
                                  HttpResponse response = batch->finish(*batch);
                                  if (response.status == 503)
                                      response.headers.emplace_back("Retry-After",
                                                                    std::to_string(m_service.retryAfter_s()));
                                  m_server.respond(request, std::move(response));
                              }};
    });
    if (!tickets)
        return refuse(request, tickets.error());
    batch->tickets = *tickets;
    m_batches[request] = batch;
}

/// GET: what became of it; with ?wait=SECONDS after that time or when it is over. DELETE: withdrawn.
void EvaluationRoutes::evaluation(const HttpRequest& request)
{
    const std::string id = request.path.substr(std::string("/evaluations/").size());
    if (request.method == "DELETE") {
        const auto status = m_service.withdraw(id);
        if (!status)
            return status.error().code == ErrorCode::InvalidArgument
                     ? m_server.respond(request.id, errorResponse(409, status.error()))
                     : refuse(request.id, status.error());
        return m_server.respond(request.id, jsonResponse(200, {{"id", id}, {"state", "withdrawn"}}));
    }
    const bool samples = !request.query.contains("samples") || request.query.at("samples") != "false";
    int wait = 0;
    if (const auto given = request.query.find("wait"); given != request.query.end()) {
        bool good = false;
        wait = QString::fromStdString(given->second).toInt(&good);
        if (!good || wait < 0 || wait > mostWait_s)
            return refuse(request.id, wrong("wait is a number of seconds from 0 to " + std::to_string(mostWait_s)));
    }
    const TicketId ticket = wait > 0
                              ? m_service.watch(id, {{},
                                                     [this, request = request.id, id, samples](const JudgeAnswer&) {
                                                         if (m_batches.erase(request) > 0)
                                                             report(request, id, samples);
                                                     }})
                              : 0;
    if (ticket == 0)
        return report(request.id, id, samples);
    const auto batch = std::make_shared<Batch>();
    batch->tickets = {ticket};
    m_batches[request.id] = batch;
    QTimer::singleShot(wait * 1000, this, [this, request = request.id, ticket, id, samples] {
        if (m_batches.erase(request) == 0)
            return;
        m_service.cancel(ticket);
        report(request, id, samples);
    });
}

void EvaluationRoutes::report(std::uint64_t request, const std::string& id, bool samples)
{
    const auto state = m_service.state(id);
    if (!state)
        return refuse(request, state.error());
    json out = {{"id", id}, {"state", state->word}};
    if (state->position >= 0)
        out["position"] = state->position;
    if (state->word == "done")
        out["result"] = answerJson(state->answer, samples);
    if (state->word == "failed")
        out.update(errorJson(state->answer.error));
    HttpResponse response = jsonResponse(200, out);
    if (state->position >= 0)
        response.headers.emplace_back("Retry-After", std::to_string(m_service.retryAfter_s()));
    m_server.respond(request, std::move(response));
}

void EvaluationRoutes::drop(std::uint64_t request)
{
    const auto it = m_batches.find(request);
    if (it == m_batches.end())
        return;
    const auto batch = it->second;
    m_batches.erase(it);
    for (const TicketId ticket : batch->tickets)
        m_service.cancel(ticket);
}

} // namespace cudal1::serve
