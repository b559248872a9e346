// SPDX-License-Identifier: GPL-3.0-or-later
// Judging over plain HTTP: a single candidate, a batch, rewards alone, and requests whose result is fetched later.
#pragma once

#include "core/serve/httpserver.h"
#include "core/serve/judgeservice.h"

#include <QObject>

#include <map>
#include <memory>
#include <vector>

namespace cudal1::serve {

/// Answers POST /evaluate, POST /evaluate/batch, POST /rewards, and GET and DELETE /evaluations/ID. docs/serving.md
/// describes their fields. Lives on the thread of the server and the service. Server, service and book must outlive it.
class EvaluationRoutes : public QObject {
    Q_OBJECT
public:
    EvaluationRoutes(HttpServer& server, JudgeService& service, const TaskBook& book, QObject* parent = nullptr);

    /// True for a path whose requests hold many candidates in a large body.
    static bool isBatch(const std::string& path);
    bool handle(const HttpRequest& request); ///< false for a path that is not one of these
    /// Call it when the client of the request has gone. What only this request waits for is then not judged.
    void drop(std::uint64_t request);

    static constexpr std::size_t mostOfABatch = 1024; ///< entries that a batch may have

private:
    struct Batch;
    /// Makes the response from the answers of a batch.
    using Finish = std::function<HttpResponse(const Batch&)>;
    struct Batch {
        std::vector<JudgeAnswer> answers;
        std::size_t left = 0; ///< answers that are still to come
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
    /// Submits the entries of `asks` that are no errors. The errors become the answers of the others.
    void judge(std::uint64_t request, const std::vector<base::Result<Ask>>& asks, Finish finish);

    HttpServer& m_server;
    JudgeService& m_service;
    const TaskBook& m_book;
    std::map<std::uint64_t, std::shared_ptr<Batch>> m_batches; ///< by the number of the request that waits
};

} // namespace cudal1::serve
