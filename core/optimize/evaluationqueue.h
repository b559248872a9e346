// SPDX-License-Identifier: GPL-3.0-or-later
// The variants that an optimise loop has to judge: all are submitted ahead, and their outcomes are taken in order.
#pragma once

#include "core/crew/crew.h"
#include "core/store/project.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace cudal1::optimize {

/// Used from the thread of the project and the crew, both of which must outlive it. It writes nothing to the project.
class EvaluationQueue {
public:
    EvaluationQueue(const store::Project& project, crew::Crew& crew) : m_project(project), m_crew(crew) {}

    using JobOf = std::function<crew::CrewJob(const store::VariantRecord&)>;
    /// The variant whose turn it is.
    struct Turn {
        store::VariantRecord variant;
        crew::JobId job = 0;
        /// Where the outcome has come before the variant's turn: candidates that wait for a compiler are overtaken.
        std::optional<crew::JobOutcome> outcome;
    };

    void append(const std::vector<store::QueueItem>& items)
    {
        m_items.insert(m_items.end(), items.begin(), items.end());
    }
    bool isEmpty() const { return m_items.empty(); }
    const store::QueueItem& front() const { return m_items.front(); } ///< not when empty
    void pop() { m_items.pop_front(); }                               ///< not when empty

    /// Submits what has not been submitted, so that the evaluators compile and start ahead, and begins the turn of the
    /// first. Call it once a turn, not when empty. An error of the store when a variant cannot be read.
    base::Result<Turn> beginTurn(const JobOf& jobOf);
    /// Keeps the outcome of a job whose turn has not come. Ignores jobs that were not submitted here.
    void keepEarly(crew::JobId job, const crew::JobOutcome& outcome);
    std::vector<crew::JobId> waiting() const; ///< submitted, and not yet begun
    void clear();                             ///< forgets everything; it cancels nothing

private:
    base::Status submitAll(const JobOf& jobOf);

    const store::Project& m_project;
    crew::Crew& m_crew;
    std::deque<store::QueueItem> m_items;
    std::map<base::VariantId, crew::JobId> m_jobs;
    std::map<crew::JobId, crew::JobOutcome> m_early;
};

} // namespace cudal1::optimize
