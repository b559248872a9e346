// SPDX-License-Identifier: GPL-3.0-or-later
// Counters and the text that Prometheus reads.
#include "core/serve/metrics.h"

#include "core/farm/answer.h"
#include "core/protocol/wireerror.h"

#include <cstdio>

namespace cudal1::serve {

namespace {

class Page {
public:
    void family(const char* name, const char* type, const char* help)
    {
        m_text += "# HELP " + std::string(name) + " " + help + "\n# TYPE " + name + " " + type + "\n";
    }
    void sample(const std::string& name, const std::string& labels, double value)
    {
        char number[40];
        std::snprintf(number, sizeof number, "%.17g", value);
        m_text += name + (labels.empty() ? "" : "{" + labels + "}") + " " + number + "\n";
    }
    void one(const char* name, const char* type, const char* help, double value)
    {
        family(name, type, help);
        sample(name, {}, value);
    }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

std::string numberText(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

} // namespace

Metrics::Metrics(const JudgeService& service, const HttpServer& server) : m_service(service), m_server(server)
{
    m_started.start();
    QObject::connect(&service, &JudgeService::judged, &m_connections,
                     [this](const JudgeAnswer& answer, double seconds) {
                         ++m_judged;
                         ++m_verdicts[std::string(protocol::toString(answer.evaluation->verdict))];
                         m_notStored += answer.id ? 0 : 1;
                         m_seconds += seconds;
                         for (std::size_t i = 0; i < bounds_s.size(); ++i)
                             m_within[i] += seconds <= bounds_s[i] ? 1 : 0;
                     });
    QObject::connect(&service, &JudgeService::refused, &m_connections,
                     [this](const base::Error& error) { ++m_refused[std::string(protocol::errorWord(error.code))]; });
    QObject::connect(&service, &JudgeService::shared, &m_connections, [this] { ++m_shared; });
    QObject::connect(&service, &JudgeService::answeredFromStore, &m_connections, [this] { ++m_fromStore; });
}

std::string Metrics::text() const
{
    Page page;
    page.one("cudal1_up_seconds", "gauge", "Seconds since the server began.", double(m_started.elapsed()) / 1000);
    page.one("cudal1_open_requests", "gauge", "Requests to judge that are not answered yet.", m_service.open());
    page.family("cudal1_evaluations_total", "counter", "Candidates judged, by verdict.");
    for (const auto& [verdict, number] : m_verdicts)
        page.sample("cudal1_evaluations_total", "verdict=\"" + verdict + "\"", double(number));
    page.family("cudal1_evaluation_seconds", "histogram",
                "Seconds from the evaluator's start on a candidate to its verdict.");
    for (std::size_t i = 0; i < bounds_s.size(); ++i)
        page.sample("cudal1_evaluation_seconds_bucket", "le=\"" + numberText(bounds_s[i]) + "\"", double(m_within[i]));
    page.sample("cudal1_evaluation_seconds_bucket", "le=\"+Inf\"", double(m_judged));
    page.sample("cudal1_evaluation_seconds_sum", {}, m_seconds);
    page.sample("cudal1_evaluation_seconds_count", {}, double(m_judged));
    page.one("cudal1_shared_requests_total", "counter", "Requests that were joined to an equal one in flight.",
             double(m_shared));
    page.one("cudal1_stored_answers_total", "counter", "Requests answered with an earlier evaluation.",
             double(m_fromStore));
    page.one("cudal1_unstored_evaluations_total", "counter", "Evaluations that the project could not take.",
             double(m_notStored));
    page.family("cudal1_refused_requests_total", "counter", "Requests to judge that were not taken, by reason.");
    for (const auto& [code, number] : m_refused)
        page.sample("cudal1_refused_requests_total", "code=\"" + code + "\"", double(number));
    const HttpCounts http = m_server.counts();
    page.one("cudal1_http_connections", "gauge", "Open connections, without WebSockets.", double(http.open));
    page.one("cudal1_http_connections_total", "counter", "Connections since the start.", double(http.connections));
    page.one("cudal1_http_refused_connections_total", "counter", "Connections beyond the limit.",
             double(http.refusedConnections));
    page.family("cudal1_http_responses_total", "counter", "Answers by status.");
    for (const auto& [status, number] : http.responses)
        page.sample("cudal1_http_responses_total", "status=\"" + std::to_string(status) + "\"", double(number));
    return page.take();
}

} // namespace cudal1::serve
