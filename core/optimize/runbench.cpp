// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons out of the project, timelines by the run's own evaluators.
#include "core/optimize/runbench.h"

#include "core/store/storedversus.h"
#include "core/store/variantfacts.h"
#include "core/timeline/timelinesummary.h"

#include <QPointer>

#include <filesystem>
#include <utility>

namespace cudal1::optimize {

using base::Error;
using base::ErrorCode;
using Then = std::function<void(base::Result<std::string>)>;

namespace {

constexpr int calls = 3, rowsOfTable = 12;

std::string dumped(const nlohmann::json& value)
{
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

class RunBench::Recording : public policy::Question {
public:
    Recording(RunBench& bench, crew::JobId job) : m_bench(&bench), m_job(job) {}
    ~Recording() override
    {
        if (m_bench && m_bench->m_recordings.erase(m_job) > 0)
            m_bench->m_crew.cancel(m_job);
    }

private:
    QPointer<RunBench> m_bench;
    crew::JobId m_job;
};

RunBench::RunBench(store::Project& project, crew::Crew& crew) : m_project(project), m_crew(crew)
{
    connect(&m_crew, &crew::Crew::done, this, [this](quint64 job, const crew::JobOutcome& outcome) {
        const auto found = m_recordings.find(job);
        if (found == m_recordings.end())
            return;
        const Then then = std::move(found->second);
        m_recordings.erase(found);
        if (outcome.kind != crew::JobOutcome::Kind::Answered)
            return then(outcome.error);
        const auto& answer = std::get<std::shared_ptr<const protocol::TimelineAnswer>>(outcome.answer);
        then(dumped(timeline::shortAnswerJson(*answer, rowsOfTable)));
    });
}

RunBench::~RunBench()
{
    for (const auto& [job, then] : std::exchange(m_recordings, {}))
        m_crew.cancel(job);
}

void RunBench::setTask(const store::TaskRecord& task, const std::string& device, protocol::Precision precision)
{
    m_task = task;
    m_device = device;
    m_precision = precision;
}

base::Result<std::string> RunBench::compare(base::VariantId firstId, base::VariantId secondId)
{
    if (firstId == secondId)
        return Error{
            ErrorCode::InvalidArgument, "Both are variant " + std::to_string(firstId.value), {}, "Name two variants"};
    const auto first = store::readVariant(m_project, firstId), second = store::readVariant(m_project, secondId);
    for (const auto* one : {&first, &second}) {
        // What belongs to another task is none of the run's business, and is answered as what is not there.
        if (!*one || (*one)->variant.task != m_task.id)
            return Error{ErrorCode::NotFound,
                         "The task has no variant " + std::to_string((one == &first ? firstId : secondId).value),
                         {},
                         "The tool variants lists those that there are"};
        if ((*one)->evaluations.empty())
            return Error{ErrorCode::InvalidArgument,
                         "Variant " + std::to_string((*one)->id.value) + " was not judged yet",
                         {},
                         "Judge it with the tool evaluate"};
    }
    const auto firstLineage = store::lineageOf(m_project, *first), secondLineage = store::lineageOf(m_project, *second);
    for (const auto* one : {&firstLineage, &secondLineage})
        if (!*one)
            return one->error();
    const auto versus = store::versus(m_project, firstId, secondId);
    if (!versus)
        return versus.error();
    return dumped(store::comparisonJson(*first, *firstLineage, *second, *secondLineage, *versus));
}

std::unique_ptr<policy::Question> RunBench::timeline(const std::string& source, Then then)
{
    protocol::TimelineRequest request;
    request.task = {m_task.id.value, m_task.source};
    request.candidate = source;
    request.candidateName = source.empty() ? "" : "candidate.py";
    request.device = m_device;
    request.precision = m_precision;
    request.calls = calls;
    const crew::JobId job = m_crew.submit({std::move(request), "timeline of " + m_task.id.value, false, {}, false});
    m_recordings[job] = std::move(then);
    return std::make_unique<Recording>(*this, job);
}

std::vector<std::string> RunBench::privateFiles() const
{
    const std::string path = std::filesystem::absolute(m_project.path()).string();
    return {path, path + "-wal", path + "-shm"};
}

} // namespace cudal1::optimize
