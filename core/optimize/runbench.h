// SPDX-License-Identifier: GPL-3.0-or-later
// What a search does for a policy that works with tools: comparisons and timelines of its own task.
#pragma once

#include "core/crew/crew.h"
#include "core/policy/policy.h"
#include "core/store/project.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>

namespace cudal1::optimize {

/// Lives on the thread of project and crew, which must outlive it.
class RunBench : public QObject, public policy::Bench {
public:
    RunBench(store::Project& project, crew::Crew& crew);
    ~RunBench() override; ///< cancels what is under way; nothing is called

    void setTask(const store::TaskRecord& task, const std::string& device, protocol::Precision precision);

    base::Result<std::string> compare(base::VariantId first, base::VariantId second) override;
    std::unique_ptr<policy::Question> timeline(const std::string& source,
                                               std::function<void(base::Result<std::string>)> then) override;
    std::vector<std::string> privateFiles() const override;

private:
    class Recording;

    store::Project& m_project;
    crew::Crew& m_crew;
    store::TaskRecord m_task;
    std::string m_device;
    protocol::Precision m_precision = protocol::Precision::Kernelbench;
    std::map<crew::JobId, std::function<void(base::Result<std::string>)>> m_recordings;
};

} // namespace cudal1::optimize
