// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that were accepted with an id, in the project's queue until they are judged, so that they survive the end of
// the process in any manner. Who asks for an id later, also after a restart, is told what became of it.
//
// Each process has a run of kind "serve" of its own. Its queue holds what is not judged yet, and a cached text for each
// id what was asked and what came of it. The next process takes over the runs of processes that are gone.
#pragma once

#include "core/optimize/heartbeat.h"
#include "core/serve/ask.h"
#include "core/serve/judgeanswer.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::serve {

/// Used on the project's thread, which needs an event loop; the project must outlive it.
class ServedQueue {
public:
    static constexpr const char* runKind = "serve";

    struct Entry {
        std::string id;        ///< "RUN-NUMBER-SECRET"
        store::QueueItem item; ///< as long as it is queued
        std::uint64_t seed = 0;
    };
    /// One that an earlier process has accepted and not judged.
    struct Left {
        Entry entry;
        Ask ask;
    };
    /// What is known of an id.
    struct Found {
        std::string state;  ///< "waiting", "done", "failed", "withdrawn"
        std::string client; ///< who asked
        JudgeAnswer answer; ///< where it is "done"; its error where it "failed"
    };

    explicit ServedQueue(store::Project& project);
    ~ServedQueue();

    /// Stores task, variant and request; nothing of it is lost once this has returned.
    base::Result<Entry> accept(const Ask& ask, std::uint64_t seed);
    /// Stores the evaluation and takes the entry off the queue, in one transaction.
    base::Result<base::EvaluationId> finish(const Entry& entry, const protocol::Evaluation& evaluation);
    /// The same where the evaluation is stored already: by an equal request.
    base::Status follow(const Entry& entry, base::EvaluationId evaluation);
    base::Status fail(const Entry& entry, const base::Error& error);
    base::Status withdraw(const Entry& entry);
    base::Result<Found> find(const std::string& id) const; ///< NotFound for what nobody was given

    /// Takes over the queues of processes that are gone. What was judged by them, but not written down as such, is.
    base::Result<std::vector<Left>> takeUp();
    /// No more is done by this process.
    void close();

private:
    base::Status open();
    base::Status writeOwnNotes();
    base::Status note(const Entry& entry, const nlohmann::json& change);
    base::Result<bool> takeUp(const store::QueueItem& item, std::vector<Left>& out);

    store::Project& m_project;
    base::RunId m_run; ///< of this process; none before the first accept()
    int m_number = 0;
    std::set<base::RunId> m_runs; ///< of this process and taken over: it is their owner
    optimize::Heartbeat m_heartbeat;
};

} // namespace cudal1::serve
