// SPDX-License-Identifier: GPL-3.0-or-later
// The judge over plain HTTP: one candidate, many, rewards alone, and requests that are asked about later.
#pragma once

#include "core/serve/httpserver.h"
#include "core/serve/judgeservice.h"

#include <QObject>

#include <map>
#include <memory>
#include <vector>

namespace cudal1::serve {

/// POST /evaluate, /evaluate/batch, /rewards; GET and DELETE /evaluations/ID. docs/serving.md has their fields. Lives
/// on the thread of server and service.
class EvaluationRoutes : public QObject {
    Q_OBJECT
public:
    EvaluationRoutes(HttpServer& server, JudgeService& service, const TaskBook& book, QObject* parent = nullptr);

    static bool isBatch(const std::string& path); ///< its body may be large
    bool handle(const HttpRequest& request);      ///< false for a path of somebody else
    void drop(std::uint64_t request);             ///< its peer is gone: what it waits for is not judged

    static constexpr std::size_t mostOfABatch = 1024;

private:
    struct Batch;
    /// Turns what a batch came to into the answer.
    using Finish = std::function<HttpResponse(const Batch&)>;
    struct Batch {
        std::vector<Answer> answers;
        std::size_t left = 0;
        std::vector<TicketId> tickets;
        Finish finish;
    };

    void evaluate(const HttpRequest& request);
    void evaluateBatch(const HttpRequest& request);
    void rewards(const HttpRequest& request);
    void evaluation(const HttpRequest& request);
    void report(std::uint64_t request, const std::string& id, bool samples);
    void refuse(std::uint64_t request, const base::Error& error);
    void later(std::uint64_t request, const std::vector<Ask>& asks, bool one);
    /// Judges the asks that are not refused already; `answers` has the others' errors.
    void judge(std::uint64_t request, const std::vector<base::Result<Ask>>& asks, Finish finish);

    HttpServer& m_server;
    JudgeService& m_service;
    const TaskBook& m_book;
    std::map<std::uint64_t, std::shared_ptr<Batch>> m_batches; ///< by the request that waits
};

} // namespace cudal1::serve
